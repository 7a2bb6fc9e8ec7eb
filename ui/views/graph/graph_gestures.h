// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_cursor.h"
#include "views/graph/graph_drag.h"

#include <QTimer>

class QKeyEvent;
class QMouseEvent;

namespace tilewright::ui {

/// Mouse gestures in the graph: hover and selection, rubber band, dragging ops between subgraphs with a
/// verdict for every target, and the overview.
class GraphGestures : public QObject
{
    Q_OBJECT
public:
    GraphGestures(const ViewContext& context, GraphLayouter& layouter, GraphNavigator& navigator,
                  GraphCursor& cursor, GraphBars& bars, QWidget& view);

    bool press(const QMouseEvent& event);       ///< returns true if the graph used the press
    void updateMouse(const QMouseEvent& event); ///< updates the mouse position; pans with the right button
    void move(const QMouseEvent& event);
    void release(const QMouseEvent& event);
    void doubleClick(const QMouseEvent& event);
    void modifierChanged(const QKeyEvent& event); ///< during a drag, modifiers change what a drop does
    void cancel();
    /// Panning during a gesture: keeps the press point in scene coordinates.
    void aboutToPan(QPointF pixels);
    void panned();

    [[nodiscard]] bool isActive() const { return m_gesture != Gesture::None; }
    [[nodiscard]] bool isDragging() const { return m_gesture == Gesture::Drag; }
    [[nodiscard]] GraphDrag& drag() { return m_drag; }
    [[nodiscard]] const GraphDrag& drag() const { return m_drag; }
    [[nodiscard]] QPointF mouse() const { return m_mouse; }
    [[nodiscard]] const QRectF& band() const { return m_band; } ///< empty without a rubber band

Q_SIGNALS:
    void menuWanted(QPointF position, const tilewright::ui::GraphHit& hit);
    void opened(const tilewright::ui::GraphHit& hit); ///< a card was opened by a double-click

private:
    enum class Gesture { None, Press, Band, Drag, Nudge, Overview };

    void setGesture(Gesture gesture);
    void setMouse(QPointF mouse);
    void findPressedAgain();
    void leavePreviewToDrag();
    void beginDrag();
    void beginNudge();
    [[nodiscard]] GraphNudges nudges() const; ///< the document's nudges plus those of the current drag
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
    GraphHit m_hit;                        ///< the item on which the mouse button was pressed
    std::optional<GraphKey> m_pressedNode; ///< key of its node
    std::vector<OpId>
        m_handleOps; ///< ops of the subgraph whose tab or card was pressed, at the time of the press
    bool m_rightMoved = false;
    QRectF m_band;
    GraphDrag m_drag;
    std::vector<GraphKey> m_nudged; ///< nodes that are being nudged
    QTimer m_scrollTimer;           // scrolls during a drag near an edge
    QTimer m_verdictTimer;          // limits repaints for verdicts that arrive during a drag
};

/// The nodes of the selected ops, or of the selected subgraph if no op is selected.
[[nodiscard]] std::vector<GraphKey> selectedNodes(const GraphGeometry& geometry, const Schedule& schedule,
                                                  const SelectionState& selected);
/// "Nudge softmax", "Nudge 3 nodes".
[[nodiscard]] QString nudgeText(const GraphModel& model, const std::vector<GraphKey>& nodes);

/// The subgraph that moved ops leave: the first candidate that has them all.
[[nodiscard]] std::optional<SubgraphId> sourceOf(const Schedule& schedule, const std::vector<OpId>& ops,
                                                 std::initializer_list<std::optional<SubgraphId>> candidates);

} // namespace tilewright::ui
