// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_gestures.h"

#include "theme/text.h"
#include "workspace/selection.h"

#include <QApplication>
#include <QMouseEvent>

#include <algorithm>

namespace tilewright::ui {

namespace {

bool extends(Qt::KeyboardModifiers modifiers)
{
    return modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
}

SelectionState withSubgraphOnly(SubgraphId subgraph)
{
    SelectionState state;
    state.subgraphs = {subgraph};
    return state;
}

} // namespace

std::vector<GraphKey> selectedNodes(const GraphGeometry& geometry, const Schedule& schedule,
                                    const SelectionState& selected)
{
    std::set<GraphKey> nodes;
    const auto add = [&](OpId op) {
        if (const auto v = geometry.nodeOf(op))
            nodes.insert(geometry.keys[*v]);
    };
    std::ranges::for_each(selected.ops, add);
    if (selected.ops.empty())
        for (const SubgraphId s : selected.subgraphs)
            if (s.index() < schedule.size())
                std::ranges::for_each(schedule[s].ops, add);
    return {nodes.begin(), nodes.end()};
}

QString nudgeText(const GraphModel& model, const std::vector<GraphKey>& nodes)
{
    const auto only =
        nodes.size() == 1 ? model.geometry->index.find(nodes.front()) : model.geometry->index.end();
    return only != model.geometry->index.end()
               ? GraphGestures::tr("Nudge %1").arg(model.nodes[only->second].title)
               : GraphGestures::tr("Nudge %1 nodes").arg(number(static_cast<std::int64_t>(nodes.size())));
}

std::optional<SubgraphId> sourceOf(const Schedule& schedule, const std::vector<OpId>& ops,
                                   std::initializer_list<std::optional<SubgraphId>> candidates)
{
    for (const auto& candidate : candidates) {
        if (!candidate || candidate->index() >= schedule.size())
            continue;
        const auto& in = schedule[*candidate].ops;
        if (std::all_of(ops.begin(), ops.end(),
                        [&](OpId op) { return std::find(in.begin(), in.end(), op) != in.end(); }))
            return candidate;
    }
    return std::nullopt;
}

GraphGestures::GraphGestures(const ViewContext& context, GraphLayouter& layouter, GraphNavigator& navigator,
                             GraphCursor& cursor, GraphBars& bars, QWidget& view)
    : m_context(context), m_layouter(layouter), m_navigator(navigator), m_cursor(cursor), m_bars(bars),
      m_view(view), m_drag(context.document)
{
    // Hundreds of verdicts arrive per second. Only the verdict of the target under the cursor causes an
    // immediate repaint.
    m_verdictTimer.setSingleShot(true);
    m_verdictTimer.setInterval(40);
    connect(&m_verdictTimer, &QTimer::timeout, &m_view, qOverload<>(&QWidget::update));
    connect(&m_drag, &GraphDrag::changed, this, [this](bool underCursor) {
        if (underCursor)
            m_view.update();
        else if (!m_verdictTimer.isActive())
            m_verdictTimer.start();
    });
    connect(&layouter, &GraphLayouter::modelChanged, this, &GraphGestures::findPressedAgain);
    m_scrollTimer.setInterval(30);
    connect(&m_scrollTimer, &QTimer::timeout, this, &GraphGestures::scrollAtTheEdge);
}

void GraphGestures::setGesture(Gesture gesture)
{
    m_gesture = gesture;
    m_navigator.setOverviewAside(isDragging());
    m_navigator.setMouse(m_mouse, isDragging());
}

void GraphGestures::setMouse(QPointF mouse)
{
    m_mouse = mouse;
    m_navigator.setMouse(m_mouse, isDragging());
}

bool GraphGestures::press(const QMouseEvent& event)
{
    setMouse(event.position());
    if (event.button() == Qt::RightButton) {
        m_pressed = m_mouse;
        m_rightMoved = false;
    }
    if (event.button() == Qt::LeftButton && m_bars.banner().contains(m_mouse)) {
        m_context.document.dropPreview();
        return true;
    }
    if (event.button() != Qt::LeftButton || !m_layouter.model() || !m_bars.content().contains(m_mouse))
        return false;
    m_pressed = m_mouse;
    if (m_navigator.overviewRect().contains(m_mouse)) {
        setGesture(Gesture::Overview);
        m_navigator.panToOverview(m_mouse);
        return true;
    }
    m_hit = m_navigator.hitAt(m_mouse);
    m_pressedNode.reset();
    if (m_hit.node)
        m_pressedNode = m_layouter.model()->nodes[*m_hit.node].key;
    m_handleOps.clear();
    if (m_hit.onHandle && m_hit.subgraph)
        m_handleOps = m_layouter.model()->snapshot->schedule[*m_hit.subgraph].ops;
    setGesture(Gesture::Press);
    // Dragged ops must be selected first. If several ops are selected, they are all dragged.
    if (extends(event.modifiers()))
        return true;
    if (m_hit.op && m_context.selection.state().ops.count(*m_hit.op) == 0)
        m_cursor.select(m_hit, event.modifiers());
    if (m_hit.onHandle)
        m_cursor.select(m_hit, event.modifiers());
    return true;
}

/// Finds the pressed item again if a new layout arrived between press and release, because its nodes have new
/// numbers.
void GraphGestures::findPressedAgain()
{
    if (m_gesture != Gesture::Press || !m_pressedNode)
        return;
    const GraphModel& model = *m_layouter.model();
    const auto now = model.geometry->index.find(*m_pressedNode);
    if (now != model.geometry->index.end())
        m_hit = hitOfNode(model, now->second);
    else
        setGesture(Gesture::None); // the pressed item no longer exists
}

void GraphGestures::updateMouse(const QMouseEvent& event)
{
    setMouse(event.position());
    if ((event.buttons() & Qt::RightButton) &&
        (m_mouse - m_pressed).manhattanLength() >= QApplication::startDragDistance())
        m_rightMoved = true;
}

void GraphGestures::move(const QMouseEvent& event)
{
    switch (m_gesture) {
    case Gesture::Overview:
        m_navigator.panToOverview(m_mouse);
        break;
    case Gesture::Press:
        if ((m_mouse - m_pressed).manhattanLength() < QApplication::startDragDistance())
            break;
        if ((event.modifiers() & Qt::ShiftModifier) && !m_layouter.isPreview() &&
            (m_hit.node || (m_hit.onHandle && m_hit.subgraph))) {
            beginNudge();
            m_layouter.setNudges(nudges());
        } else if (m_hit.op || !m_handleOps.empty()) {
            leavePreviewToDrag();
            beginDrag();
            updateDrag(event.modifiers());
        } else {
            setGesture(Gesture::Band);
            m_band = QRectF(m_pressed, m_mouse).normalized();
        }
        m_view.update();
        break;
    case Gesture::Band:
        m_band = QRectF(m_pressed, m_mouse).normalized();
        m_view.update();
        break;
    case Gesture::Drag:
        updateDrag(event.modifiers());
        break;
    case Gesture::Nudge:
        m_layouter.setNudges(nudges());
        break;
    case Gesture::None:
        updateHover();
        break;
    }
}

void GraphGestures::release(const QMouseEvent& event)
{
    setMouse(event.position());
    if (event.button() == Qt::RightButton && !m_rightMoved && m_layouter.model() &&
        m_bars.content().contains(m_mouse)) {
        const GraphHit hit = m_navigator.hitAt(m_mouse);
        const SelectionState& s = m_context.selection.state();
        // The context menu acts on the item under the mouse, so this item is selected.
        if (hit.op ? s.ops.count(*hit.op) == 0 : hit.subgraph && s.subgraphs.count(*hit.subgraph) == 0)
            m_cursor.select(hit, Qt::NoModifier);
        Q_EMIT menuWanted(m_mouse, hit);
        return;
    }
    if (event.button() != Qt::LeftButton)
        return;
    switch (m_gesture) {
    case Gesture::Press:
        setGesture(Gesture::None);
        if (!m_hit.onHandle || extends(event.modifiers()))
            m_cursor.select(m_hit, event.modifiers());
        break;
    case Gesture::Band:
        setGesture(Gesture::None);
        finishBand(event.modifiers());
        break;
    case Gesture::Drag:
        setGesture(Gesture::None);
        updateDrag(event.modifiers());
        drop();
        break;
    case Gesture::Nudge:
        setGesture(Gesture::None);
        m_view.unsetCursor();
        m_context.document.nudge(nudges(), nudgeText(*m_layouter.model(), m_nudged));
        break;
    case Gesture::Overview:
    case Gesture::None:
        setGesture(Gesture::None);
        break;
    }
    m_view.update();
}

void GraphGestures::doubleClick(const QMouseEvent& event)
{
    setMouse(event.position());
    if (event.button() != Qt::LeftButton || !m_layouter.model() || !m_bars.content().contains(m_mouse) ||
        m_navigator.overviewRect().contains(m_mouse))
        return;
    setGesture(Gesture::None);
    Q_EMIT opened(m_navigator.hitAt(m_mouse));
}

void GraphGestures::modifierChanged(const QKeyEvent& event)
{
    if (!isDragging() || (event.key() != Qt::Key_Control && event.key() != Qt::Key_Alt))
        return;
    const auto modifier = event.key() == Qt::Key_Control ? Qt::ControlModifier : Qt::AltModifier;
    updateDrag(event.modifiers().setFlag(modifier, event.type() == QEvent::KeyPress));
}

void GraphGestures::updateHover()
{
    HoverState hover;
    if (m_layouter.model() && m_bars.content().contains(m_mouse) &&
        !m_navigator.overviewRect().contains(m_mouse)) {
        const GraphHit hit = m_navigator.hitAt(m_mouse);
        hover.op = hit.op;
        hover.tensor = hit.op ? std::nullopt : hit.tensor;
        hover.subgraph = hit.subgraph;
        m_view.setCursor(hit.op || hit.onHandle ? Qt::OpenHandCursor
                         : hit.tensor           ? Qt::PointingHandCursor
                                                : Qt::ArrowCursor);
    } else {
        m_view.setCursor(m_bars.banner().contains(m_mouse) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    m_context.selection.setHover(hover);
}

void GraphGestures::cancel()
{
    m_scrollTimer.stop();
    if (isDragging())
        m_drag.cancel();
    if (m_gesture == Gesture::Nudge)
        m_layouter.setNudges(m_context.document.nudges());
    setGesture(Gesture::None);
    m_band = {};
    m_view.unsetCursor();
    m_view.update();
}

void GraphGestures::finishBand(Qt::KeyboardModifiers modifiers)
{
    const QRectF scene = m_navigator.viewport().toScene(std::exchange(m_band, {}));
    const SelectionState& before = m_context.selection.state();
    std::set<OpId> ops;
    if (extends(modifiers))
        ops = before.ops;
    const auto& nodeOfOp = m_layouter.geometry()->nodeOfOp;
    for (std::size_t i = 0; i < nodeOfOp.size(); ++i)
        if (const auto v = nodeOfOp[i]; v && scene.contains(m_layouter.model()->nodes[*v].rect.center()))
            ops.insert(OpId(i));
    m_cursor.changeSelection(withOps(m_context.document.schedule(), before, std::move(ops)));
}

// -- dragging -------------------------------------------------------------------------------------------

/// Ends the preview when a drag begins, because a drag edits the document's schedule. The op stays under the
/// cursor. Subgraphs of a preview have no handles (GraphNavigator::hitAt()).
void GraphGestures::leavePreviewToDrag()
{
    if (!m_layouter.isPreview())
        return;
    m_navigator.forgetHome();
    m_context.document.dropPreview();
    const GraphGeometry* geometry = m_layouter.geometry();
    if (const auto node = geometry ? geometry->nodeOf(*m_hit.op) : std::nullopt)
        m_hit.subgraph = subgraphOf(*m_layouter.model(), *node);
}

void GraphGestures::beginDrag()
{
    const Schedule& schedule = m_context.document.schedule();
    const SelectionState& s = m_context.selection.state();
    std::vector<OpId> ops = m_handleOps;
    if (ops.empty() && s.ops.count(*m_hit.op) > 0)
        ops.assign(s.ops.begin(), s.ops.end());
    else if (ops.empty())
        ops = {*m_hit.op};
    const std::optional<SubgraphId> from =
        sourceOf(schedule, ops, {m_handleOps.empty() ? s.subgraph : std::nullopt, m_hit.subgraph});
    // Targets are ordered by distance, because verdicts are computed in this order.
    const QPointF here = m_navigator.viewport().toScene(m_pressed);
    std::vector<std::pair<double, SubgraphId>> order;
    for (const GraphHull& hull : m_layouter.model()->hulls)
        order.emplace_back(QLineF(here, hull.bounds.center()).length(), hull.subgraph);
    std::sort(order.begin(), order.end());
    std::vector<SubgraphId> targets;
    targets.reserve(order.size());
    for (const auto& [distance, subgraph] : order)
        targets.push_back(subgraph);
    setGesture(Gesture::Drag);
    m_view.setFocus();
    m_view.setCursor(Qt::ClosedHandCursor);
    m_context.selection.setHover({});
    m_drag.begin(std::move(ops), from, std::move(targets));
    m_scrollTimer.start();
}

/// Chooses the nodes to nudge: the pressed node, all selected nodes if it is one of them, or a whole
/// subgraph.
void GraphGestures::beginNudge()
{
    const GraphGeometry& geometry = *m_layouter.geometry();
    const SelectionState& s = m_context.selection.state();
    if (m_hit.op && s.ops.contains(*m_hit.op))
        m_nudged = selectedNodes(geometry, m_context.document.schedule(), s);
    else if (m_hit.node)
        m_nudged = {geometry.keys[*m_hit.node]};
    else
        m_nudged = selectedNodes(geometry, m_context.document.schedule(), withSubgraphOnly(*m_hit.subgraph));
    setGesture(Gesture::Nudge);
    m_view.setFocus();
    m_view.setCursor(Qt::SizeAllCursor);
    m_context.selection.setHover({});
}

GraphNudges GraphGestures::nudges() const
{
    const Viewport& viewport = m_navigator.viewport();
    return movedOn(m_context.document.nudges(), m_nudged, m_layouter.shape().leftToRight,
                   viewport.toScene(m_mouse) - viewport.toScene(m_pressed));
}

void GraphGestures::updateDrag(Qt::KeyboardModifiers modifiers)
{
    const bool inside = m_bars.content().contains(m_mouse);
    const GraphDropTarget target =
        inside ? dropTarget(*m_layouter.model(), m_navigator.viewport().toScene(m_mouse))
               : GraphDropTarget{true, {}};
    if (target.nowhere)
        m_drag.leave(inside ? tr("Open the card (double-click) to drop on one of its subgraphs.")
                            : QString());
    else
        m_drag.update(target.subgraph, modifiers & Qt::ControlModifier, modifiers & Qt::AltModifier);
    m_view.update();
}

void GraphGestures::drop()
{
    m_scrollTimer.stop();
    m_view.unsetCursor();
    const auto dropped = m_drag.finish();
    if (!dropped)
        return;
    // Dropped ops are visible already, so the view does not scroll to them.
    m_cursor.withoutScrolling(
        [&] { applyDrop(m_context.document, m_context.selection, dropped->drop, dropped->judged); });
}

void GraphGestures::scrollAtTheEdge()
{
    const QRectF inner = m_bars.content().adjusted(28, 28, -28, -28);
    const QPointF by(m_mouse.x() < inner.left()    ? 14
                     : m_mouse.x() > inner.right() ? -14
                                                   : 0,
                     m_mouse.y() < inner.top()      ? 14
                     : m_mouse.y() > inner.bottom() ? -14
                                                    : 0);
    if (by.isNull())
        return;
    aboutToPan(by);
    m_navigator.panBy(by);
    panned();
}

void GraphGestures::aboutToPan(QPointF pixels)
{
    if (m_gesture == Gesture::Drag || m_gesture == Gesture::Band || m_gesture == Gesture::Nudge)
        m_pressed += pixels; // panning: keeps the press point fixed in scene coordinates
}

void GraphGestures::panned()
{
    if (isDragging())
        updateDrag(QGuiApplication::keyboardModifiers());
}

} // namespace tilewright::ui
