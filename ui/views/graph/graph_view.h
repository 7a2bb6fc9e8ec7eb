// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "canvas/viewport.h"
#include "workspace/latest_job.h"
#include "views/graph/graph_drag.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_paint.h"
#include "views/graph/graph_traffic.h"

#include <QPixmap>
#include <QTimer>

#include <memory>

class QLabel;
class QMenu;

namespace tilewright::ui {

class GraphToolbar;

/// The graph of the workload with the schedule as areas round its ops. Ops are dragged between subgraphs;
/// every target says before the drop what it would change.
class GraphView : public Canvas
{
    Q_OBJECT
public:
    explicit GraphView(const ViewContext& context, QWidget* parent = nullptr);
    ~GraphView() override;

    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void settle() override;
    [[nodiscard]] QSize exportSize() const override;
    [[nodiscard]] QString copyText() const override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override; ///< to the middle first, then as large as it goes
    void actualSize() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QString tableText() const override; ///< the subgraphs

    /// Until the arrangement is that of the document (large graphs are arranged in the background).
    void waitForLayout() { m_layoutJob.waitIdle(); }
    [[nodiscard]] const GraphModel* model() const { return m_model.get(); }
    [[nodiscard]] const Viewport& viewport() const { return m_viewport; }
    [[nodiscard]] const GraphOptions& options() const { return m_options; }
    [[nodiscard]] const GraphShape& shape() const { return m_shape; }
    [[nodiscard]] GraphDrag& drag() { return m_drag; }
    [[nodiscard]] GraphToolbar& toolbar() { return *m_toolbar; }
    [[nodiscard]] QLabel& note() { return *m_note; }
    /// Middle of an op's node, or of a subgraph's handle, in widget coordinates.
    [[nodiscard]] QPointF positionOf(OpId op) const;
    [[nodiscard]] QPointF handleOf(SubgraphId subgraph) const;
    [[nodiscard]] QRectF overviewRect() const; ///< empty while hidden

    void setColouring(GraphColouring colouring);
    void setShape(const GraphShape& shape);
    void setEdgeLabels(bool on);
    void setOverview(bool on);
    void setLegend(bool on);
    void setCollapsed(SubgraphId subgraph, bool collapsed);
    /// All subgraphs; of a large graph also whether they are cards by themselves, which is remembered.
    void collapseAll(bool collapsed);
    void setCards(bool on); ///< subgraphs of large graphs become cards by themselves
    /// Opens a card of several subgraphs, and closes the one that an op came from.
    void openSection(std::size_t node);
    void closeSection(OpId op);
    /// The line above the picture that says what is not shown; empty for nothing.
    [[nodiscard]] QString noteText() const;
    /// Only what is near the selection; 0 hops = everything.
    void setNeighbourhood(int hops);
    void search(const QString& text);
    void searchNext(int direction);

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
    [[nodiscard]] QPointF focusPoint() const override; ///< the current op

private:
    using GeometryPtr = std::shared_ptr<const GraphGeometry>;
    /// A model with its labels, made by a worker.
    struct Labelled
    {
        std::shared_ptr<const GraphModel> model;
        GraphTraffic traffic;
    };
    /// What the graph returns to when a preview ends.
    struct Home
    {
        GeometryPtr geometry;
        std::optional<Viewport> viewport; ///< none after the person looked elsewhere
        bool movedByHand = false;
    };
    enum class Gesture { None, Press, Band, Drag, Overview };

    // graph_view.cpp: model and painting
    void connectToolbar();
    void registerActions();
    void refresh(bool problemIsNew = false);
    void useGeometry(GeometryPtr geometry);
    void rebuildModel(bool animate);
    void previewChanged();
    void leavePreviewToDrag();
    /// The snapshot that is drawn: the document's, or the preview.
    [[nodiscard]] const SnapshotPtr& shownSnapshot() const
    {
        return m_home ? document().preview() : document().snapshot();
    }
    void requestLabels();
    void takeLabels(const Labelled& labelled);
    void moveOn(double seconds);
    void optionsChanged();
    [[nodiscard]] GraphMetrics metrics() const;
    [[nodiscard]] GraphMarks marks(bool exporting) const;
    [[nodiscard]] QRectF content() const;  ///< below the toolbar, the note and the banner of a preview
    [[nodiscard]] QRectF freeRoom() const; ///< the same without the key
    [[nodiscard]] double barsBottom() const;
    [[nodiscard]] QRectF previewBanner() const;
    void paintPreviewBanner(QPainter& painter, const QRectF& banner, const Theme& theme) const;
    void placeBars();
    void showNote();
    [[nodiscard]] const GraphModel& shownModel() const { return m_between ? *m_between : *m_model; }
    void paintOverview(QPainter& painter, const Theme& theme);
    void paintDrag(QPainter& painter, const Theme& theme); // graph_drag_paint.cpp
    [[nodiscard]] QRectF sceneOfSelection() const;
    void ensureVisible(const QRectF& scene);
    void setViewport(const Viewport& viewport, bool byHand);
    void selectionChanged();

    // graph_view_mouse.cpp
    [[nodiscard]] GraphHit hitAt(QPointF position) const;
    void select(const GraphHit& hit, Qt::KeyboardModifiers modifiers);
    void changeSelection(SelectionState state);
    /// The subgraph that ops leave when they are moved: the first candidate that has them all.
    [[nodiscard]] std::optional<SubgraphId>
    sourceOf(const std::vector<OpId>& ops, std::initializer_list<std::optional<SubgraphId>> candidates) const;
    void beginDrag();
    void updateDrag(QPointF position, Qt::KeyboardModifiers modifiers);
    void dropHere();
    void cancelGesture();
    void finishBand(Qt::KeyboardModifiers modifiers);
    void updateHover(QPointF position);
    void panToOverview(QPointF position);

    // graph_view_keys.cpp
    void addOwnKeys();
    [[nodiscard]] bool step(QPoint way, Qt::KeyboardModifiers modifiers);
    void goAlongTensor(bool toConsumer);
    void goToSubgraph(int by);
    void moveCursor(std::size_t node, bool extend);
    void startCursor();
    [[nodiscard]] std::optional<std::size_t> cursorNode() const;
    void showMenu(QPointF position, const GraphHit& hit);
    void addMoveMenu(QMenu& menu, const std::vector<OpId>& ops, std::optional<SubgraphId> from, bool copy);
    void showFound();

    GraphToolbar* m_toolbar;
    QLabel* m_note;
    GraphOptions m_options;
    GraphShape m_shape;
    bool m_overview = true;
    bool m_legend = true;

    GeometryPtr m_geometry; ///< of m_model
    GeometryPtr m_arranged; ///< the same, or that from which a provisional one was made
    std::unique_ptr<GraphModel> m_model;
    std::optional<Home> m_home; ///< exactly while the preview is shown: areas are not the document's
    LatestJob<GeometryPtr> m_layoutJob;
    GraphTraffic m_traffic;                         ///< of m_model; empty while it is being counted
    std::shared_ptr<TrafficMemory> m_trafficMemory; ///< the worker's
    LatestJob<Labelled> m_labelJob;

    std::unique_ptr<GraphModel> m_before; // of a running transition
    std::unique_ptr<GraphModel> m_between;
    double m_transition = 1;

    Viewport m_viewport;
    bool m_fitPending = true;
    bool m_movedByHand = false;
    QRectF m_wantedPart; ///< asked for before there was a picture
    QPixmap m_overviewPixmap;
    GraphLegendPicture m_legendPicture;

    Gesture m_gesture = Gesture::None;
    QPointF m_pressed;
    QPointF m_mouse;
    GraphHit m_hit;
    bool m_rightMoved = false;
    QRectF m_band;
    GraphDrag m_drag;
    QTimer m_scrollTimer;             // while dragging near an edge
    QTimer m_verdictTimer;            // pictures of verdicts that come while dragging
    std::optional<GraphKey> m_cursor; // node with the keyboard focus
    std::set<OpId> m_opened;          // by the last action: to be looked at when they are arranged
    QString m_sought;
    std::vector<std::size_t> m_found; // nodes, in reading order
    std::size_t m_currentFound = 0;
    bool m_ownSelection = false; // the change comes from here: do not scroll
};

} // namespace tilewright::ui
