// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "views/graph/graph_bars.h"
#include "views/graph/graph_cursor.h"
#include "views/graph/graph_gestures.h"
#include "views/graph/graph_layouter.h"
#include "views/graph/graph_navigator.h"
#include "views/graph/graph_picture.h"

namespace tilewright::ui {

/// The graph of the workload, with subgraphs as areas around their ops. Ops can be dragged between subgraphs;
/// every target shows the effect before the drop. This class connects the other classes of the graph with
/// commands and keys.
class GraphView : public Canvas
{
    Q_OBJECT
public:
    explicit GraphView(const ViewContext& context, QWidget* parent = nullptr);

    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void settle() override { m_layouter.settle(); }
    [[nodiscard]] QSize exportSize() const override;
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override;
    void zoomBy(double factor, QPointF anchor) override { m_navigator.zoomBy(factor, anchor); }
    void panBy(QPointF pixels) override;
    void fitAll() override { m_navigator.fitAll(); }
    /// The selection is centred first, then enlarged as far as possible.
    void fitSelection() override { m_navigator.fitSelection(); }
    void actualSize() override { m_navigator.actualSize(); }
    [[nodiscard]] std::optional<QRectF> shownPart() const override { return m_navigator.shownPart(); }
    void showPart(const QRectF& part) override { m_navigator.showPart(part); }
    [[nodiscard]] QString tableText() const override; ///< the subgraphs as a table

    /// Waits until the shown layout is that of the document (large graphs are laid out in the background).
    void waitForLayout() { m_layouter.waitForLayout(); }
    [[nodiscard]] const GraphModel* model() const { return m_layouter.model(); }
    [[nodiscard]] const Viewport& viewport() const { return m_navigator.viewport(); }
    [[nodiscard]] const GraphOptions& options() const { return m_layouter.options(); }
    [[nodiscard]] const GraphShape& shape() const { return m_layouter.shape(); }
    [[nodiscard]] GraphDrag& drag() { return m_gestures.drag(); }
    [[nodiscard]] GraphToolbar& toolbar() { return m_bars.toolbar(); }
    [[nodiscard]] QLabel& note() { return m_bars.note(); }
    /// Centre of an op's node, or of a subgraph's handle, in widget coordinates.
    [[nodiscard]] QPointF positionOf(OpId op) const { return m_navigator.positionOf(op); }
    [[nodiscard]] QPointF handleOf(SubgraphId subgraph) const { return m_navigator.handleOf(subgraph); }
    /// Rectangle of the overview; empty while it is hidden.
    [[nodiscard]] QRectF overviewRect() const { return m_navigator.overviewRect(); }
    /// Text of the note above the graph that says what is hidden; empty if nothing is hidden.
    [[nodiscard]] QString noteText() const { return m_bars.noteText(); }

    void setColouring(GraphColouring colouring);
    void setShape(const GraphShape& shape);
    void setCollapsed(SubgraphId subgraph, bool collapsed);
    /// Collapses or expands all subgraphs. In a large graph this also sets whether cards are made
    /// automatically, and saves that setting.
    void collapseAll(bool collapsed);
    /// Opens the card at `node`, which stands for several subgraphs. If it stands for several equal blocks,
    /// opens the block of the op that was selected last, or else the first block.
    void openSection(std::size_t node);
    /// Closes the section that contains the op, so that it is drawn as one card again.
    void closeSection(OpId op);
    /// Draws each of the equal blocks around an op as its own card, or all of them as one card again.
    void spreadBlocks(OpId op);
    /// Shows only the ops within `hops` of the selection; 0 = all ops.
    void setNeighbourhood(int hops);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    // nothing: the gestures open the menu of the item under the mouse
    void showContextMenu(QPointF) override {}
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    /// Position of the current op.
    [[nodiscard]] QPointF focusPoint() const override { return m_cursor.focusPoint(); }

private:
    void connectToolbar();
    void registerActions(); // implemented in graph_view_actions.cpp, like the next two functions
    void addOwnKeys();
    void letGo();
    void nudgeSelected(QPointF by);
    void addSwitches();
    void optionsChanged(); ///< saves the options after the user has changed one
    void followPane();     ///< breaks the graph into columns that fill the pane
    void showOptions();
    void toggle(const char* key); ///< changes an option of the toolbar menu
    void refresh(bool problemIsNew = false);
    [[nodiscard]] QString tooltipOf(const GraphHit& hit) const;
    /// Text on the change of the op's operator compared with the other model.
    [[nodiscard]] QString againstText(OpId op) const;
    void previewChanged();
    void open(const GraphHit& hit);
    void openOps(const std::vector<OpId>& ops);
    void openForHit(OpId op); ///< opens the block that contains a search hit
    void showMenu(QPointF position, const GraphHit& hit);
    void showMenuOfCursor();

    GraphLayouter m_layouter;
    GraphBars m_bars;
    GraphNavigator m_navigator;
    GraphCursor m_cursor;
    GraphGestures m_gestures;
    GraphPicture m_picture;
    /// An on/off option in the menu of the toolbar, saved between sessions.
    struct Switch
    {
        QLatin1String key;
        bool atFirst = true;
        QAction* action = nullptr;
        std::function<bool()> isOn;
        std::function<void(bool)> set;
    };
    std::vector<Switch> m_switches;
    std::optional<OpId> m_openedForHit;
};

} // namespace tilewright::ui
