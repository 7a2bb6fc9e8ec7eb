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
    /// Updates a drag after a press or release of a modifier key, which changes the effect of a drop.
    void modifierChanged(const QKeyEvent& event);
    void cancel();
    /// To be called before the view pans during a gesture: keeps the press point fixed in scene coordinates.
    void aboutToPan(QPointF pixels);
    void panned();

    [[nodiscard]] bool isActive() const { return m_gesture != Gesture::None; }
    [[nodiscard]] bool isDragging() const { return m_gesture == Gesture::Drag; }
    [[nodiscard]] GraphDrag& drag() { return m_drag; }
    [[nodiscard]] const GraphDrag& drag() const { return m_drag; }
    [[nodiscard]] QPointF mouse() const { return m_mouse; }
    /// Rectangle of the rubber band; empty if there is none.
    [[nodiscard]] const QRectF& band() const { return m_band; }

Q_SIGNALS:
    void menuWanted(QPointF position, const tilewright::ui::GraphHit& hit);
    void opened(const tilewright::ui::GraphHit& hit); ///< emitted when a double click has opened a card

private:
    enum class Gesture { None, Press, Band, Drag, Nudge, Overview };

    void setGesture(Gesture gesture);
    void setMouse(QPointF mouse);
    void findPressedAgain();
    void leavePreviewToDrag();
    void beginDrag();
    void beginNudge();
    /// The document's nudges plus the displacement of the current drag.
    [[nodiscard]] GraphNudges nudges() const;
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
    GraphHit m_hit;                        ///< item on which the mouse button was pressed
    std::optional<GraphKey> m_pressedNode; ///< key of the node of m_hit
    std::vector<OpId>
        /// Ops of the subgraph whose tab or card was pressed, as they were at the time of the press.
        m_handleOps;
    bool m_rightMoved = false;
    QRectF m_band;
    GraphDrag m_drag;
    std::vector<GraphKey> m_nudged; ///< nodes that are being nudged
    QTimer m_scrollTimer;           // scrolls while the mouse is near an edge during a drag
    QTimer m_verdictTimer;          // limits the rate of repaints when verdicts arrive during a drag
};

/// Returns the nodes of the selected ops, or of the selected subgraph if no op is selected.
[[nodiscard]] std::vector<GraphKey> selectedNodes(const GraphGeometry& geometry, const Schedule& schedule,
                                                  const SelectionState& selected);
/// Text of the undo step: "Nudge softmax", "Nudge 3 nodes".
[[nodiscard]] QString nudgeText(const GraphModel& model, const std::vector<GraphKey>& nodes);

/// Returns the subgraph that the moved ops leave: the first candidate that has all of them.
[[nodiscard]] std::optional<SubgraphId> sourceOf(const Schedule& schedule, const std::vector<OpId>& ops,
                                                 std::initializer_list<std::optional<SubgraphId>> candidates);

} // namespace tilewright::ui
