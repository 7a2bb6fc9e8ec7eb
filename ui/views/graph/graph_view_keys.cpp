// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard and search of the graph view, and its size.
#include "workspace/selection_edits.h"
#include "views/graph/graph_search.h"
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_view.h"

#include <QKeyEvent>
#include <QLineEdit>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tilewright::ui {

void GraphView::addOwnKeys()
{
    addKeys("neighbour", tr("Go to a neighbour"), arrowKeys(),
            tr("To the nearest op that way, along lines first; with Shift add it."),
            [this](const KeyUse& use) {
                if (!m_model || !step(use.arrow(), use.modifiers))
                    panBy(-48 * QPointF(use.arrow()));
            });
    addKeys("toggle", tr("Select or not"), {QKeySequence(Qt::Key_Space)},
            tr("Add what the arrows went to, or take it away."), [this] {
                if (const auto v = cursorNode())
                    select(hitOfNode(*m_model, *v), Qt::ControlModifier);
                else if (m_model)
                    startCursor();
            });
    addKeys("properties", tr("Go to the properties"), {QKeySequence(Qt::Key_Return)},
            tr("To the inspector of what is selected."), [this] {
                if (QAction* inspector = registry().find(QStringLiteral("view.inspector")))
                    inspector->trigger();
            });
    addKeys("menu", tr("What can be done here"), {QKeySequence(Qt::Key_Menu)},
            tr("Open the menu of what is selected."), [this] {
                if (!m_model)
                    return;
                GraphHit hit;
                if (const auto v = cursorNode())
                    hit = hitOfNode(*m_model, *v);
                else
                    hit.subgraph = selection().state().subgraph;
                showMenu(hit.node ? m_viewport.toScreen(m_model->nodes[*hit.node].rect.center())
                                  : content().center(),
                         hit);
            });
    addKeys("letGo", tr("Let go"), {QKeySequence(Qt::Key_Escape)},
            tr("Cancel the drag, the search or the neighbourhood, or select nothing."), [this] {
                if (m_gesture != Gesture::None)
                    cancelGesture();
                else if (m_home)
                    document().dropPreview();
                else if (!m_sought.isEmpty())
                    m_toolbar->searchField()->clear();
                else if (m_shape.hops > 0)
                    setNeighbourhood(0);
                else
                    selection().clear();
            });
    addGesture("move", tr("Move ops to another subgraph"), tr("drag"),
               tr("The change of the total is shown before the drop."));
    addGesture("recompute", tr("Compute ops there too"), tr("Ctrl+drag"),
               tr("They stay where they are as well."));
    addGesture("force", tr("Drop where it is refused"), tr("Alt+drag"),
               tr("The schedule may become invalid."));
}

void GraphView::keyPressEvent(QKeyEvent* event)
{
    // While dragging they say what a drop would do.
    if (event->key() != Qt::Key_Control && event->key() != Qt::Key_Alt) {
        Canvas::keyPressEvent(event);
        return;
    }
    if (m_gesture == Gesture::Drag)
        updateDrag(m_mouse, event->modifiers() |
                                (event->key() == Qt::Key_Control ? Qt::ControlModifier : Qt::AltModifier));
    event->accept();
}

void GraphView::keyReleaseEvent(QKeyEvent* event)
{
    if (m_gesture == Gesture::Drag && (event->key() == Qt::Key_Control || event->key() == Qt::Key_Alt))
        updateDrag(m_mouse, event->modifiers() &
                                ~(event->key() == Qt::Key_Control ? Qt::ControlModifier : Qt::AltModifier));
    Canvas::keyReleaseEvent(event);
}

bool GraphView::event(QEvent* event)
{
    // While dragging, Alt means "force" and must not open the menu bar; Escape must not leave full screen.
    if (event->type() == QEvent::ShortcutOverride && m_gesture == Gesture::Drag) {
        event->accept();
        return true;
    }
    return Canvas::event(event);
}

std::optional<std::size_t> GraphView::cursorNode() const
{
    if (!m_model || !m_cursor)
        return std::nullopt;
    if (const auto known = m_geometry->index.find(*m_cursor); known != m_geometry->index.end())
        return known->second;
    return m_cursor->isTensor() ? std::nullopt : m_geometry->nodeOf(OpId(m_cursor->id));
}

/// To the nearest node in the direction of the arrow; those along a line come first.
bool GraphView::step(QPoint way, Qt::KeyboardModifiers modifiers)
{
    const SelectionState& s = selection().state();
    const auto from = cursorNode();
    if (!from || (s.ops.empty() && s.subgraphs.empty() && !s.tensor))
        return false;
    std::set<std::size_t> linked;
    for (const GraphEdge& edge : m_model->edges) {
        if (edge.from == *from)
            linked.insert(edge.to);
        if (edge.to == *from)
            linked.insert(edge.from);
    }
    const QPointF here = m_model->nodes[*from].rect.center();
    std::optional<std::size_t> best;
    double bestCost = 0;
    for (std::size_t v = 0; v < m_model->nodes.size(); ++v) {
        // Weights beside the way are no stops, but inputs and outputs can be reached along their lines.
        if (v == *from || (m_model->nodes[v].key.isTensor() && linked.count(v) == 0))
            continue;
        const QPointF d = m_model->nodes[v].rect.center() - here;
        const double along = QPointF::dotProduct(d, way);
        const double across = std::abs(way.x() != 0 ? d.y() : d.x());
        if (along < 8)
            continue;
        const double cost = (along + 2.2 * across) * (linked.count(v) == 0               ? 1
                                                      : m_model->nodes[v].key.isTensor() ? 0.9
                                                                                         : 0.45);
        if (!best || cost < bestCost) {
            best = v;
            bestCost = cost;
        }
    }
    if (best)
        moveCursor(*best, modifiers & Qt::ShiftModifier);
    return true; // at the border: stay, rather than scroll away
}

void GraphView::moveCursor(std::size_t node, bool extend)
{
    const GraphHit hit = hitOfNode(*m_model, node);
    if (extend && hit.op && selection().state().ops.count(*hit.op) > 0) {
        m_cursor = m_model->nodes[node].key;
        update();
    } else {
        select(hit, extend ? Qt::ShiftModifier : Qt::NoModifier);
    }
    ensureVisible(m_model->nodes[node].rect);
}

/// Without anything to start from: the op nearest to the middle of what is in view.
void GraphView::startCursor()
{
    const QPointF middle = m_viewport.toScene(content().center());
    std::optional<std::size_t> best;
    double nearest = 0;
    for (std::size_t v = 0; v < m_model->nodes.size(); ++v) {
        const double d = QLineF(middle, m_model->nodes[v].rect.center()).length();
        if (!m_model->nodes[v].key.isTensor() && (!best || d < nearest)) {
            best = v;
            nearest = d;
        }
    }
    if (best)
        moveCursor(*best, false);
}

/// From an op, or from a selected tensor, to the producer or the first consumer.
void GraphView::goAlongTensor(bool toConsumer)
{
    if (!m_model)
        return;
    const Problem& problem = *document().problem();
    const SelectionState& s = selection().state();
    std::optional<OpId> op;
    if (s.ops.size() == 1)
        op = *s.ops.begin();
    else if (const auto v = cursorNode(); v && !m_model->nodes[*v].key.isTensor())
        op = OpId(m_model->nodes[*v].key.id);
    const auto consumerOf = [&](TensorId t) {
        const auto consumers = problem.consumers(t);
        return consumers.empty() ? std::nullopt : std::optional(consumers.front());
    };
    std::optional<OpId> to;
    if (s.tensor)
        to = toConsumer ? consumerOf(*s.tensor) : problem.producer(*s.tensor);
    else if (op && toConsumer)
        to = consumerOf(problem.op(*op).output);
    else if (op)
        for (TensorId input : problem.op(*op).inputs)
            if (!to)
                to = problem.producer(input);
    if (to)
        if (const auto v = m_geometry->nodeOf(*to))
            moveCursor(*v, false);
}

void GraphView::goToSubgraph(int by)
{
    const auto n = static_cast<std::int64_t>(document().schedule().size());
    if (n == 0)
        return;
    const auto current = selection().state().subgraph;
    const std::int64_t next =
        current ? std::clamp<std::int64_t>(static_cast<std::int64_t>(current->index()) + by, 0, n - 1)
                : (by > 0 ? 0 : n - 1);
    selection().selectSubgraph(SubgraphId(static_cast<std::size_t>(next)));
}

// -- search ---------------------------------------------------------------------------------------------

void GraphView::search(const QString& text)
{
    m_sought = text.trimmed();
    m_currentFound = 0;
    showFound();
    if (!m_found.empty())
        ensureVisible(m_model->nodes[m_found.front()].rect);
    update();
}

/// Marks anew after every change of text or model.
void GraphView::showFound()
{
    m_found =
        m_model && !m_sought.isEmpty() ? GraphSearch(m_sought).nodes(*m_model) : std::vector<std::size_t>();
    if (m_currentFound >= m_found.size())
        m_currentFound = 0;
    m_toolbar->setHits(static_cast<int>(m_currentFound),
                       m_sought.isEmpty() ? -1 : static_cast<int>(m_found.size()));
}

void GraphView::searchNext(int direction)
{
    if (m_found.empty())
        return;
    const auto n = static_cast<std::int64_t>(m_found.size());
    // The first Enter selects the first hit, the next ones go on.
    const SelectionState& s = selection().state();
    const bool selected = m_cursor == m_model->nodes[m_found[m_currentFound]].key &&
                          (!s.ops.empty() || s.tensor || !s.subgraphs.empty());
    if (selected || direction < 0)
        m_currentFound =
            static_cast<std::size_t>((static_cast<std::int64_t>(m_currentFound) + direction + n) % n);
    const std::size_t v = m_found[m_currentFound];
    const GraphNode& node = m_model->nodes[v];
    if (node.key.kind == GraphKey::Kind::Section) {
        // Of what is in the card, only what was sought.
        const GraphSearch search(m_sought);
        const std::vector<OpId>& in = m_geometry->sections.at(v).ops;
        std::set<OpId> ops;
        std::copy_if(in.begin(), in.end(), std::inserter(ops, ops.end()),
                     [&](OpId op) { return search.findsOp(*document().problem(), op); });
        m_cursor = node.key;
        changeSelection(
            withOps(document().schedule(), s, ops.empty() ? std::set(in.begin(), in.end()) : ops));
    } else {
        select(hitOfNode(*m_model, v), Qt::NoModifier);
    }
    if (m_viewport.scale < 0.55) // a name is only read when it is large enough
        setViewport({0.8, content().center() - node.rect.center() * 0.8}, true);
    else
        ensureVisible(node.rect);
    m_toolbar->setHits(static_cast<int>(m_currentFound), static_cast<int>(m_found.size()));
}

// -- size and font --------------------------------------------------------------------------------------

void GraphView::resizeEvent(QResizeEvent* event)
{
    placeBars();
    if (!m_movedByHand && m_model)
        fitAll();
    Canvas::resizeEvent(event);
}

void GraphView::showEvent(QShowEvent* event)
{
    placeBars();
    Canvas::showEvent(event);
}

void GraphView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        refresh();
    Canvas::changeEvent(event);
}

} // namespace tilewright::ui
