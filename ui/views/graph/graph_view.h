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

/// The graph of the workload with the schedule as areas round its ops. Ops are dragged between subgraphs;
/// every target says before the drop what it would change. Made of the parts above; here they meet, with the
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
    void fitSelection() override
    {
        m_navigator.fitSelection();
    } ///< to the middle first, then as large as it goes
    void actualSize() override { m_navigator.actualSize(); }
    [[nodiscard]] std::optional<QRectF> shownPart() const override { return m_navigator.shownPart(); }
    void showPart(const QRectF& part) override { m_navigator.showPart(part); }
    [[nodiscard]] QString tableText() const override; ///< the subgraphs

    /// Until the arrangement is that of the document (large graphs are arranged in the background).
    void waitForLayout() { m_layouter.waitForLayout(); }
    [[nodiscard]] const GraphModel* model() const { return m_layouter.model(); }
    [[nodiscard]] const Viewport& viewport() const { return m_navigator.viewport(); }
    [[nodiscard]] const GraphOptions& options() const { return m_layouter.options(); }
    [[nodiscard]] const GraphShape& shape() const { return m_layouter.shape(); }
    [[nodiscard]] GraphDrag& drag() { return m_gestures.drag(); }
    [[nodiscard]] GraphToolbar& toolbar() { return m_bars.toolbar(); }
    [[nodiscard]] QLabel& note() { return m_bars.note(); }
    /// Middle of an op's node, or of a subgraph's handle, in widget coordinates.
    [[nodiscard]] QPointF positionOf(OpId op) const { return m_navigator.positionOf(op); }
    [[nodiscard]] QPointF handleOf(SubgraphId subgraph) const { return m_navigator.handleOf(subgraph); }
    [[nodiscard]] QRectF overviewRect() const { return m_navigator.overviewRect(); } ///< empty while hidden
    /// The line above the picture that says what is not shown; empty for nothing.
    [[nodiscard]] QString noteText() const { return m_bars.noteText(); }

    void setColouring(GraphColouring colouring);
    void setShape(const GraphShape& shape);
    void setCollapsed(SubgraphId subgraph, bool collapsed);
    /// All subgraphs; of a large graph also whether they are cards by themselves, which is remembered.
    void collapseAll(bool collapsed);
    /// Opens a card of several subgraphs (of equal blocks one: that of the op selected last, else the first),
    /// and closes the one that an op came from.
    void openSection(std::size_t node);
    void closeSection(OpId op);
    /// The equal blocks that an op is in one by one, or as one card again.
    void spreadBlocks(OpId op);
    /// Only what is near the selection; 0 hops = everything.
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
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override { return m_cursor.focusPoint(); } ///< the current op

private:
    void connectToolbar();
    void registerActions(); // graph_view_actions.cpp, as the two below
    void addOwnKeys();
    void letGo();
    void nudgeSelected(QPointF by);
    void addSwitches();
    void optionsChanged(); ///< by the person: remembered
    void showOptions();
    void toggle(const char* key); ///< one of the switches
    void refresh(bool problemIsNew = false);
    [[nodiscard]] QString tooltipOf(const GraphHit& hit) const;
    [[nodiscard]] QString againstText(OpId op) const; ///< what it is against the compared model
    void previewChanged();
    void open(const GraphHit& hit);
    void openOps(const std::vector<OpId>& ops);
    void openForHit(OpId op); ///< of the search
    void showMenu(QPointF position, const GraphHit& hit);
    void showMenuOfCursor();

    GraphLayouter m_layouter;
    GraphBars m_bars;
    GraphNavigator m_navigator;
    GraphCursor m_cursor;
    GraphGestures m_gestures;
    GraphPicture m_picture;
    /// What the menu of the toolbar switches on and off, and what is remembered.
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
