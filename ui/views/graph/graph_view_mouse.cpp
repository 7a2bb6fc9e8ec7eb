// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse of the graph view: hover, selection, rubber band, dragging ops between subgraphs, the overview.
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_view.h"

#include <QApplication>
#include <QMouseEvent>

#include <algorithm>

namespace tilewright::ui {

void GraphView::mousePressEvent(QMouseEvent* event)
{
    m_mouse = event->position();
    if (event->button() == Qt::RightButton) {
        m_pressed = m_mouse;
        m_rightMoved = false;
    }
    if (event->button() == Qt::LeftButton && previewBanner().contains(m_mouse)) {
        document().dropPreview();
        return;
    }
    if (event->button() != Qt::LeftButton || !m_model || !content().contains(m_mouse)) {
        Canvas::mousePressEvent(event);
        return;
    }
    m_pressed = m_mouse;
    if (overviewRect().contains(m_mouse)) {
        m_gesture = Gesture::Overview;
        panToOverview(m_mouse);
        return;
    }
    m_hit = hitAt(m_mouse);
    m_gesture = Gesture::Press;
    // What is dragged must be selected first; a selection of several is kept for that.
    const bool extends = event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier);
    if (m_hit.op && !extends && selection().state().ops.count(*m_hit.op) == 0)
        select(m_hit, event->modifiers());
    if (m_hit.onHandle && !extends)
        select(m_hit, event->modifiers());
}

void GraphView::mouseMoveEvent(QMouseEvent* event)
{
    m_mouse = event->position();
    if ((event->buttons() & Qt::RightButton) &&
        (m_mouse - m_pressed).manhattanLength() >= QApplication::startDragDistance())
        m_rightMoved = true;
    if (isPanning()) {
        Canvas::mouseMoveEvent(event);
        return;
    }
    switch (m_gesture) {
    case Gesture::Overview:
        panToOverview(m_mouse);
        break;
    case Gesture::Press:
        if ((m_mouse - m_pressed).manhattanLength() < QApplication::startDragDistance())
            break;
        if (m_hit.op || (m_hit.onHandle && m_hit.subgraph)) {
            leavePreviewToDrag();
            beginDrag();
            updateDrag(m_mouse, event->modifiers());
        } else {
            m_gesture = Gesture::Band;
            m_band = QRectF(m_pressed, m_mouse).normalized();
        }
        update();
        break;
    case Gesture::Band:
        m_band = QRectF(m_pressed, m_mouse).normalized();
        update();
        break;
    case Gesture::Drag:
        updateDrag(m_mouse, event->modifiers());
        break;
    case Gesture::None:
        updateHover(m_mouse);
        break;
    }
}

void GraphView::mouseReleaseEvent(QMouseEvent* event)
{
    m_mouse = event->position();
    if (event->button() == Qt::RightButton && !m_rightMoved && m_model && content().contains(m_mouse)) {
        Canvas::mouseReleaseEvent(event);
        const GraphHit hit = hitAt(m_mouse);
        // The menu acts on what is under it.
        if (hit.op && selection().state().ops.count(*hit.op) == 0)
            select(hit, Qt::NoModifier);
        else if (!hit.op && hit.subgraph && selection().state().subgraphs.count(*hit.subgraph) == 0)
            select(hit, Qt::NoModifier);
        showMenu(m_mouse, hit);
        return;
    }
    if (event->button() != Qt::LeftButton) {
        Canvas::mouseReleaseEvent(event);
        return;
    }
    const Gesture gesture = std::exchange(m_gesture, Gesture::None);
    switch (gesture) {
    case Gesture::Press:
        if (!m_hit.onHandle || (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)))
            select(m_hit, event->modifiers());
        break;
    case Gesture::Band:
        finishBand(event->modifiers());
        break;
    case Gesture::Drag:
        updateDrag(m_mouse, event->modifiers());
        dropHere();
        break;
    case Gesture::Overview:
    case Gesture::None:
        break;
    }
    update();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event)
{
    m_mouse = event->position();
    if (event->button() != Qt::LeftButton || !m_model || !content().contains(m_mouse) ||
        overviewRect().contains(m_mouse))
        return;
    const GraphHit hit = hitAt(m_mouse);
    m_gesture = Gesture::None;
    if (hit.subgraph && !hit.op)
        setCollapsed(*hit.subgraph, !m_model->hulls[hit.subgraph->index()].collapsed);
    else if (hit.op)
        fitSelection();
}

void GraphView::select(const GraphHit& hit, Qt::KeyboardModifiers modifiers)
{
    const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    SelectionState s = selection().state();
    const std::optional<SubgraphId> area = m_home ? std::nullopt : hit.subgraph;
    const auto choose = [&](std::optional<SubgraphId> subgraph) {
        if (s.subgraph != subgraph)
            s.step = 0;
        s.subgraph = subgraph;
        s.subgraphs.clear();
        if (subgraph)
            s.subgraphs.insert(*subgraph);
    };
    if (hit.op) {
        s.tensor.reset();
        if (!extend)
            s.ops = {*hit.op};
        else if (!s.ops.insert(*hit.op).second)
            s.ops.erase(*hit.op);
        m_cursor = hit.op;
        // An op of the current subgraph keeps it current, also when it is computed elsewhere too.
        const auto homes = subgraphsWith(document().schedule(), *hit.op);
        const bool inCurrent =
            s.subgraph && std::find(homes.begin(), homes.end(), *s.subgraph) != homes.end();
        if (!inCurrent)
            choose(area ? area : homes.empty() ? std::nullopt : std::optional(homes.front()));
        else
            choose(s.subgraph);
    } else if (hit.tensor) {
        s.tensor = hit.tensor;
        if (!extend)
            s.ops.clear();
    } else if (area) {
        s.tensor.reset();
        s.ops.clear();
        if (extend) {
            if (!s.subgraphs.insert(*area).second)
                s.subgraphs.erase(*area);
            s.subgraph = s.subgraphs.empty() ? std::nullopt : area;
            s.step = 0;
        } else {
            choose(area);
        }
    } else if (!extend) {
        s.ops.clear();
        s.tensor.reset();
        choose(std::nullopt);
    }
    m_ownSelection = true;
    selection().set(std::move(s));
    m_ownSelection = false;
}

void GraphView::updateHover(QPointF position)
{
    HoverState hover;
    if (m_model && content().contains(position) && !overviewRect().contains(position)) {
        const GraphHit hit = hitAt(position);
        hover.op = hit.op;
        hover.tensor = hit.op ? std::nullopt : hit.tensor;
        hover.subgraph = hit.subgraph;
        setCursor(hit.op || hit.onHandle ? Qt::OpenHandCursor
                  : hit.tensor           ? Qt::PointingHandCursor
                                         : Qt::ArrowCursor);
    } else {
        setCursor(previewBanner().contains(position) ? Qt::PointingHandCursor : Qt::ArrowCursor);
    }
    selection().setHover(hover);
}

void GraphView::leaveEvent(QEvent* event)
{
    selection().setHover({});
    Canvas::leaveEvent(event);
}

// -- rubber band ----------------------------------------------------------------------------------------

void GraphView::finishBand(Qt::KeyboardModifiers modifiers)
{
    const QRectF scene = m_viewport.toScene(m_band);
    m_band = {};
    SelectionState s = selection().state();
    if (!(modifiers & (Qt::ShiftModifier | Qt::ControlModifier)))
        s.ops.clear();
    for (const GraphNode& node : m_model->nodes) {
        if (!scene.contains(node.rect.center()))
            continue;
        if (node.key.kind == GraphKey::Kind::Op)
            s.ops.insert(OpId(node.key.id));
        else if (node.key.kind == GraphKey::Kind::Card)
            for (OpId op : m_model->snapshot->schedule[node.badges.front().subgraph].ops)
                s.ops.insert(op);
    }
    s.tensor.reset();
    m_ownSelection = true;
    selection().set(std::move(s));
    m_ownSelection = false;
}

// -- dragging -------------------------------------------------------------------------------------------

/// An edit begins: the preview goes first, and the op stays under the cursor.
void GraphView::leavePreviewToDrag()
{
    if (!m_home)
        return;
    m_home->viewport.reset();
    document().dropPreview();
    if (const auto node = m_geometry ? m_geometry->nodeOf(*m_hit.op) : std::nullopt)
        m_hit.subgraph = subgraphOf(*m_model, *node);
}

void GraphView::beginDrag()
{
    const SelectionState& s = selection().state();
    std::vector<OpId> ops;
    std::optional<SubgraphId> from;
    if (m_hit.onHandle && m_hit.subgraph) {
        ops = document().schedule()[*m_hit.subgraph].ops;
        from = m_hit.subgraph;
    } else {
        if (s.ops.count(*m_hit.op) > 0)
            ops.assign(s.ops.begin(), s.ops.end());
        else
            ops = {*m_hit.op};
        // They leave the current subgraph when it has them all, else the one they are drawn in.
        const auto holdsAll = [&](SubgraphId i) {
            const auto& in = document().schedule()[i].ops;
            return std::all_of(ops.begin(), ops.end(),
                               [&](OpId op) { return std::find(in.begin(), in.end(), op) != in.end(); });
        };
        for (const auto& candidate : {s.subgraph, m_hit.subgraph})
            if (!from && candidate && candidate->index() < document().schedule().size() &&
                holdsAll(*candidate))
                from = candidate;
    }
    // Verdicts are wanted from near to far.
    const QPointF here = m_viewport.toScene(m_pressed);
    std::vector<std::pair<double, SubgraphId>> order;
    for (const GraphHull& hull : m_model->hulls)
        order.emplace_back(QLineF(here, hull.bounds.center()).length(), hull.subgraph);
    std::sort(order.begin(), order.end());
    std::vector<SubgraphId> targets;
    for (const auto& [distance, subgraph] : order)
        targets.push_back(subgraph);
    m_gesture = Gesture::Drag;
    setFocus();
    setCursor(Qt::ClosedHandCursor);
    selection().setHover({});
    m_drag.begin(std::move(ops), from, std::move(targets));
    m_scrollTimer.start();
}

void GraphView::updateDrag(QPointF position, Qt::KeyboardModifiers modifiers)
{
    const auto target = content().contains(position) ? dropTarget(*m_model, m_viewport.toScene(position))
                                                     : m_drag.drop().from;
    m_drag.update(target, modifiers & Qt::ControlModifier, modifiers & Qt::AltModifier);
    update();
}

void GraphView::dropHere()
{
    m_scrollTimer.stop();
    unsetCursor();
    const auto drop = m_drag.finish();
    if (!drop)
        return;
    m_ownSelection = true;
    applyDrop(document(), selection(), *drop);
    m_ownSelection = false;
}

void GraphView::cancelGesture()
{
    m_scrollTimer.stop();
    if (m_gesture == Gesture::Drag)
        m_drag.cancel();
    m_gesture = Gesture::None;
    m_band = {};
    unsetCursor();
    update();
}

// -- overview -------------------------------------------------------------------------------------------

void GraphView::panToOverview(QPointF position)
{
    const QRectF box = overviewRect();
    if (box.isEmpty())
        return;
    const QPointF scene = Viewport::fit(m_model->bounds, box, 4, 1).toScene(position);
    setViewport({m_viewport.scale, content().center() - scene * m_viewport.scale}, true);
}

} // namespace tilewright::ui
