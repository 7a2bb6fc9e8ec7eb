// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard and search of the graph view, and its size.
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_view.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

void GraphView::keyPressEvent(QKeyEvent* event)
{
    const bool ready = m_model != nullptr;
    switch (event->key()) {
    case Qt::Key_Escape:
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
        break;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (!ready || !step(event->key(), event->modifiers())) {
            Canvas::keyPressEvent(event);
            return;
        }
        break;
    case Qt::Key_Space:
        if (ready && m_cursor) {
            GraphHit hit;
            hit.op = m_cursor;
            select(hit, Qt::ControlModifier);
        }
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (QAction* inspector = registry().find(QStringLiteral("view.inspector")))
            inspector->trigger();
        break;
    case Qt::Key_Menu:
        if (ready) {
            GraphHit hit;
            hit.op = m_cursor;
            hit.subgraph = selection().state().subgraph;
            showMenu(hit.op ? positionOf(*hit.op) : content().center(), hit);
        }
        break;
    case Qt::Key_Control:
    case Qt::Key_Alt:
        if (m_gesture == Gesture::Drag)
            updateDrag(m_mouse, event->modifiers() | (event->key() == Qt::Key_Control ? Qt::ControlModifier
                                                                                      : Qt::AltModifier));
        break;
    default:
        Canvas::keyPressEvent(event);
        return;
    }
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

/// To the nearest op in the direction of the arrow; ops along a line come first.
bool GraphView::step(int key, Qt::KeyboardModifiers modifiers)
{
    if (!m_cursor || selection().state().ops.empty())
        return false;
    const auto from = m_geometry->nodeOf(*m_cursor);
    if (!from)
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
        if (v == *from || m_model->nodes[v].key.kind != GraphKey::Kind::Op)
            continue;
        const QPointF d = m_model->nodes[v].rect.center() - here;
        const bool horizontal = key == Qt::Key_Left || key == Qt::Key_Right;
        const double along =
            (horizontal ? d.x() : d.y()) * (key == Qt::Key_Left || key == Qt::Key_Up ? -1 : 1);
        const double across = std::abs(horizontal ? d.y() : d.x());
        if (along < 8)
            continue;
        const double cost = (along + 2.2 * across) * (linked.count(v) > 0 ? 0.45 : 1);
        if (!best || cost < bestCost) {
            best = v;
            bestCost = cost;
        }
    }
    if (!best)
        return true; // at the border: stay, rather than scroll away
    setCursorOp(OpId(m_model->nodes[*best].key.id), modifiers & Qt::ShiftModifier);
    return true;
}

void GraphView::setCursorOp(OpId op, bool extend)
{
    GraphHit hit;
    hit.op = op;
    hit.node = m_geometry->nodeOf(op);
    if (hit.node)
        hit.subgraph = subgraphOf(*m_model, *hit.node);
    if (extend && selection().state().ops.count(op) > 0) {
        m_cursor = op;
        update();
    } else {
        select(hit, extend ? Qt::ShiftModifier : Qt::NoModifier);
    }
    ensureVisible(sceneOfSelection());
}

void GraphView::goAlongTensor(bool toConsumer)
{
    if (!m_model || !m_cursor)
        return;
    const Problem& problem = *document().problem();
    std::optional<OpId> to;
    if (toConsumer) {
        const auto consumers = problem.consumers(problem.op(*m_cursor).output);
        if (!consumers.empty())
            to = consumers.front();
    } else {
        for (TensorId input : problem.op(*m_cursor).inputs)
            if (!to)
                to = problem.producer(input);
    }
    if (to && m_geometry->nodeOf(*to))
        setCursorOp(*to, false);
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
    m_found.clear();
    if (m_model && !m_sought.isEmpty()) {
        static const QRegularExpression numbered(QStringLiteral("^(op|tensor|t|subgraph|s)\\s*#?(\\d+)$"),
                                                 QRegularExpression::CaseInsensitiveOption);
        const auto match = numbered.match(m_sought);
        const QString kind = match.captured(1).toLower();
        const auto number = match.captured(2).toUInt();
        for (std::size_t v = 0; v < m_model->nodes.size(); ++v) {
            const GraphNode& node = m_model->nodes[v];
            const bool tensor =
                node.key.kind == GraphKey::Kind::Input || node.key.kind == GraphKey::Kind::Output;
            bool found = node.title.contains(m_sought, Qt::CaseInsensitive) ||
                         (node.key.kind == GraphKey::Kind::Card &&
                          node.detail.contains(m_sought, Qt::CaseInsensitive));
            if (match.hasMatch()) {
                // "op 1" means that op; "op1" may also be the beginning of a name.
                if (m_sought.contains(QLatin1Char(' ')) || m_sought.contains(QLatin1Char('#')))
                    found = false;
                if (kind == QLatin1String("op"))
                    found |= node.key.kind == GraphKey::Kind::Op && node.key.id == number;
                else if (kind == QLatin1String("t") || kind == QLatin1String("tensor"))
                    found |= (tensor && node.key.id == number) ||
                             (node.key.kind == GraphKey::Kind::Op &&
                              document().problem()->op(OpId(node.key.id)).output.value == number);
                else
                    found |= std::any_of(node.badges.begin(), node.badges.end(),
                                         [&](const GraphBadge& b) { return b.subgraph.value == number; });
            }
            if (found)
                m_found.push_back(v);
        }
        std::sort(m_found.begin(), m_found.end(), [&](std::size_t a, std::size_t b) {
            const QPointF pa = m_model->nodes[a].rect.center(), pb = m_model->nodes[b].rect.center();
            return pa.y() != pb.y() ? pa.y() < pb.y() : pa.x() < pb.x();
        });
    }
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
    const GraphNode& current = m_model->nodes[m_found[m_currentFound]];
    const bool selected = current.key.kind == GraphKey::Kind::Op
                              ? selection().state().ops.count(OpId(current.key.id)) > 0
                              : selection().state().tensor == TensorId(current.key.id);
    if (selected || direction < 0)
        m_currentFound =
            static_cast<std::size_t>((static_cast<std::int64_t>(m_currentFound) + direction + n) % n);
    const std::size_t v = m_found[m_currentFound];
    GraphHit hit;
    hit.node = v;
    const GraphNode& node = m_model->nodes[v];
    if (node.key.kind == GraphKey::Kind::Op)
        hit.op = OpId(node.key.id);
    else if (node.key.kind != GraphKey::Kind::Card)
        hit.tensor = TensorId(node.key.id);
    hit.subgraph = subgraphOf(*m_model, v);
    select(hit, Qt::NoModifier);
    if (m_viewport.scale < 0.55) // a name is only read when it is large enough
        setViewport({0.8, content().center() - node.rect.center() * 0.8}, true);
    else
        ensureVisible(node.rect);
    m_toolbar->setHits(static_cast<int>(m_currentFound), static_cast<int>(m_found.size()));
}

// -- size and font --------------------------------------------------------------------------------------

void GraphView::resizeEvent(QResizeEvent* event)
{
    m_toolbar->setGeometry(0, 0, width(), m_toolbar->sizeHint().height());
    if (!m_movedByHand && m_model)
        fitAll();
    Canvas::resizeEvent(event);
}

void GraphView::showEvent(QShowEvent* event)
{
    m_toolbar->setGeometry(0, 0, width(), m_toolbar->sizeHint().height());
    Canvas::showEvent(event);
}

void GraphView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        refresh();
    Canvas::changeEvent(event);
}

} // namespace tilewright::ui
