// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_cursor.h"
#include "views/graph/graph_drag.h"

#include <QTimer>

class QKeyEvent;
class QMouseEvent;

namespace tilewright::ui {

/// What the mouse does in the graph: hover and selection, the rubber band, ops dragged between subgraphs with
/// a verdict for every target, the overview.
class GraphGestures : public QObject
{
    Q_OBJECT
public:
    GraphGestures(const ViewContext& context, GraphLayouter& layouter, GraphNavigator& navigator,
                  GraphCursor& cursor, GraphBars& bars, QWidget& view);

    bool press(const QMouseEvent& event);    ///< whether it was for the graph
    void noteMove(const QMouseEvent& event); ///< where the mouse is; with the right button it pans
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    void doubleClick(const QMouseEvent& event);
    void modifierChanged(const QKeyEvent& event); ///< while dragging they say what a drop would do
    void cancel();
    /// Panning during a gesture: the press point keeps its place in the scene.
    void aboutToPan(QPointF pixels);
    void panned();

    [[nodiscard]] bool isActive() const { return m_gesture != Gesture::None; }
    [[nodiscard]] bool isDragging() const { return m_gesture == Gesture::Drag; }
    [[nodiscard]] GraphDrag& drag() { return m_drag; }
    [[nodiscard]] const GraphDrag& drag() const { return m_drag; }
    [[nodiscard]] QPointF mouse() const { return m_mouse; }
    [[nodiscard]] const QRectF& band() const { return m_band; } ///< empty without one

Q_SIGNALS:
    void menuWanted(QPointF position, const tilewright::ui::GraphHit& hit);
    void opened(const tilewright::ui::GraphHit& hit); ///< by a double-click

private:
    enum class Gesture { None, Press, Band, Drag, Nudge, Overview };

    void setGesture(Gesture gesture);
    void setMouse(QPointF mouse);
    void leavePreviewToDrag();
    void beginDrag();
    void beginNudge();
    [[nodiscard]] GraphNudges nudges() const; ///< the document's with what is under the hand
    void updateDrag(Qt::KeyboardModifiers modifiers);
    void drop();
    void finishBand(Qt::KeyboardModifiers modifiers);
    void updateHover();
    void scrollAtTheEdge();

    ViewContext m_context;
    GraphLayouter& m_layouter;
    GraphNavigator& m_navigator;
    GraphCursor& m_cursor;
    GraphBars& m_bars;
    QWidget& m_view;
    Gesture m_gesture = Gesture::None;
    QPointF m_pressed;
    QPointF m_mouse;
    GraphHit m_hit;
    std::vector<OpId> m_handleOps; ///< of the subgraph whose tab or card was pressed, as it was shown then
    bool m_rightMoved = false;
    QRectF m_band;
    GraphDrag m_drag;
    std::vector<GraphKey> m_nudged; ///< nodes under the hand
    QTimer m_scrollTimer;           // while dragging near an edge
    QTimer m_verdictTimer;          // pictures of verdicts that come while dragging
};

/// The nodes of the selected ops, or of the selected subgraph where there are none.
[[nodiscard]] std::vector<GraphKey> selectedNodes(const GraphGeometry& geometry, const Schedule& schedule,
                                                  const SelectionState& selected);
/// "Nudge softmax", "Nudge 3 nodes".
[[nodiscard]] QString nudgeText(const GraphModel& model, const std::vector<GraphKey>& nodes);

/// The subgraph that ops leave when they are moved: the first candidate that has them all.
[[nodiscard]] std::optional<SubgraphId> sourceOf(const Schedule& schedule, const std::vector<OpId>& ops,
                                                 std::initializer_list<std::optional<SubgraphId>> candidates);

} // namespace tilewright::ui
