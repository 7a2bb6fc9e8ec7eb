// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse of the graph view: hover, selection, rubber band, dragging ops between subgraphs, the overview.
#include "workspace/selection_edits.h"
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
    if (hit.isSection)
        openSection(*hit.node);
    else if (hit.subgraph && !hit.op)
        setCollapsed(*hit.subgraph, !m_model->hulls[hit.subgraph->index()].collapsed);
    else if (hit.op)
        fitSelection();
}

void GraphView::changeSelection(SelectionState state)
{
    m_ownSelection = true;
    selection().set(std::move(state));
    m_ownSelection = false;
}

void GraphView::select(const GraphHit& hit, Qt::KeyboardModifiers modifiers)
{
    const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    if (hit.node)
        m_cursor = m_model->nodes[*hit.node].key;
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
        if (extend) {
            std::set<OpId> ops = s.ops;
            if (!ops.insert(*hit.op).second)
                ops.erase(*hit.op);
            changeSelection(withOps(document().schedule(), s, std::move(ops)));
            return;
        }
        s.ops = {*hit.op};
        // An op of the current subgraph keeps it current, also when it is computed elsewhere too.
        const auto homes = subgraphsWith(document().schedule(), *hit.op);
        const bool inCurrent =
            s.subgraph && std::find(homes.begin(), homes.end(), *s.subgraph) != homes.end();
        if (!inCurrent)
            choose(area ? area : homes.empty() ? std::nullopt : std::optional(homes.front()));
        else
            choose(s.subgraph);
    } else if (hit.isSection) {
        const std::vector<OpId>& ops = m_geometry->sections.at(*hit.node).ops;
        const bool takeOut =
            extend && std::all_of(ops.begin(), ops.end(), [&](OpId op) { return s.ops.count(op) > 0; });
        std::set<OpId> chosen = extend ? s.ops : std::set<OpId>{};
        for (OpId op : ops)
            takeOut ? void(chosen.erase(op)) : void(chosen.insert(op));
        s = withOps(document().schedule(), s, std::move(chosen));
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
    changeSelection(std::move(s));
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
    const SelectionState& before = selection().state();
    const bool extend = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    std::set<OpId> ops;
    if (extend)
        ops = before.ops;
    for (std::size_t i = 0; i < m_geometry->nodeOfOp.size(); ++i)
        if (const auto v = m_geometry->nodeOfOp[i]; v && scene.contains(m_model->nodes[*v].rect.center()))
            ops.insert(OpId(i));
    changeSelection(withOps(document().schedule(), before, std::move(ops)));
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

std::optional<SubgraphId>
GraphView::sourceOf(const std::vector<OpId>& ops,
                    std::initializer_list<std::optional<SubgraphId>> candidates) const
{
    const Schedule& schedule = document().schedule();
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
        from = sourceOf(ops, {s.subgraph, m_hit.subgraph});
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
    const GraphDropTarget target = content().contains(position)
                                       ? dropTarget(*m_model, m_viewport.toScene(position))
                                       : GraphDropTarget{true, {}};
    if (target.nowhere)
        m_drag.leave(content().contains(position)
                         ? tr("Open the card (double-click) to drop on one of its subgraphs.")
                         : QString());
    else
        m_drag.update(target.subgraph, modifiers & Qt::ControlModifier, modifiers & Qt::AltModifier);
    update();
}

void GraphView::dropHere()
{
    m_scrollTimer.stop();
    unsetCursor();
    const auto drop = m_drag.finish();
    if (!drop)
        return;
    m_ownSelection = true; // what has just been dropped is in view
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
