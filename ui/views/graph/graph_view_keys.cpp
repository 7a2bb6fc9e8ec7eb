// SPDX-License-Identifier: GPL-3.0-or-later
// Keyboard, search, toolbar, actions and context menu of the graph view.
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_view.h"

#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

// -- toolbar and options --------------------------------------------------------------------------------

void GraphView::connectToolbar()
{
    connect(m_toolbar, &GraphToolbar::colouringChosen, this, &GraphView::setColouring);
    connect(m_toolbar, &GraphToolbar::hopsChosen, this, &GraphView::setNeighbourhood);
    connect(m_toolbar, &GraphToolbar::labelsToggled, this, &GraphView::setEdgeLabels);
    connect(m_toolbar, &GraphToolbar::leftToRightToggled, this, [this](bool on) {
        GraphShape shape = m_shape;
        shape.leftToRight = on;
        setShape(shape);
    });
    connect(m_toolbar, &GraphToolbar::columnsToggled, this, [this](bool on) {
        GraphShape shape = m_shape;
        shape.columns = on;
        setShape(shape);
    });
    connect(m_toolbar, &GraphToolbar::overviewToggled, this, &GraphView::setOverview);
    connect(m_toolbar, &GraphToolbar::collapseAll, this, [this] { collapseAll(true); });
    connect(m_toolbar, &GraphToolbar::expandAll, this, [this] { collapseAll(false); });
    connect(m_toolbar, &GraphToolbar::searchChanged, this, &GraphView::search);
    connect(m_toolbar, &GraphToolbar::searchNext, this, &GraphView::searchNext);
    connect(m_toolbar, &GraphToolbar::searchLeft, this, [this] { setFocus(); });
}

/// Bare letters act only while the graph itself has the focus.
void GraphView::registerActions()
{
    Actions& actions = registry();
    if (actions.find(QStringLiteral("graph.find")))
        return;
    QPointer<GraphView> self(this);
    const auto add = [&](const char* id, const QString& menu, const QString& text, const char* iconName,
                         QKeySequence key, const QString& tip, void (*run)(GraphView&)) {
        QAction* action = actions.add({QLatin1String(id), menu, text, QLatin1String(iconName),
                                       key.isEmpty() ? QList<QKeySequence>{} : QList<QKeySequence>{key}, tip},
                                      [self, run](bool) {
                                          if (self)
                                              run(*self);
                                      });
        if (!key.isEmpty() && key.count() == 1 && key[0].keyboardModifiers() == Qt::NoModifier)
            action->setShortcutContext(Qt::WidgetShortcut);
        addAction(action);
    };
    const QString edit = tr("Edit"), view = tr("View");
    add("graph.find", edit, tr("&Find in the graph"), "search", QKeySequence::Find,
        tr("Mark ops, tensors and subgraphs by a part of their name; Enter jumps on."), [](GraphView& g) {
            g.m_toolbar->searchField()->setFocus();
            g.m_toolbar->searchField()->selectAll();
        });
    add("graph.producer", edit, tr("Select producer"), "", Qt::Key_BracketLeft,
        tr("Go from the selected op to the producer of its first input."),
        [](GraphView& g) { g.goAlongTensor(false); });
    add("graph.consumer", edit, tr("Select consumer"), "", Qt::Key_BracketRight,
        tr("Go from the selected op to the first consumer of its output."),
        [](GraphView& g) { g.goAlongTensor(true); });
    add("graph.previous", edit, tr("Previous subgraph"), "", Qt::Key_Comma,
        tr("Select the subgraph executed before the selected one."),
        [](GraphView& g) { g.goToSubgraph(-1); });
    add("graph.next", edit, tr("Next subgraph"), "", Qt::Key_Period,
        tr("Select the subgraph executed after the selected one."), [](GraphView& g) { g.goToSubgraph(1); });
    add("graph.overview", view, tr("Graph: over&view"), "", Qt::Key_M,
        tr("Show or hide the small picture of the whole graph."),
        [](GraphView& g) { g.setOverview(!g.m_overview); });
    add("graph.neighbourhood", view, tr("Graph: &neighbourhood"), "", Qt::Key_N,
        tr("Show only what is within two hops of the selection, or everything again."),
        [](GraphView& g) { g.setNeighbourhood(g.m_shape.hops > 0 ? 0 : 2); });
    add("graph.collapse", view, tr("Graph: collapse or expand"), "", Qt::Key_C,
        tr("Draw the selected subgraph as one card, or open it again."), [](GraphView& g) {
            const auto s = g.selection().state().subgraph;
            if (s && g.m_model && s->index() < g.m_model->hulls.size())
                g.setCollapsed(*s, !g.m_model->hulls[s->index()].collapsed);
        });
    add("graph.collapseAll", view, tr("Graph: collapse all"), "", {}, tr("Draw every subgraph as one card."),
        [](GraphView& g) { g.collapseAll(true); });
    add("graph.expandAll", view, tr("Graph: expand all"), "", {}, tr("Draw the ops of every subgraph."),
        [](GraphView& g) { g.collapseAll(false); });
    add("graph.orientation", view, tr("Graph: turn"), "", {},
        tr("Draw from left to right instead of from top to bottom, or back."), [](GraphView& g) {
            GraphShape shape = g.m_shape;
            shape.leftToRight = !shape.leftToRight;
            g.setShape(shape);
        });
    const std::tuple<const char*, QString, void (*)(GraphView&)> colourings[] = {
        {"subgraph", tr("subgraph"), [](GraphView& g) { g.setColouring(GraphColouring::Subgraph); }},
        {"type", tr("op type"), [](GraphView& g) { g.setColouring(GraphColouring::OpType); }},
        {"bound", tr("bound"), [](GraphView& g) { g.setColouring(GraphColouring::Bound); }},
        {"latency", tr("latency"), [](GraphView& g) { g.setColouring(GraphColouring::Latency); }},
        {"intensity", tr("intensity"), [](GraphView& g) { g.setColouring(GraphColouring::Intensity); }},
        {"none", tr("none"), [](GraphView& g) { g.setColouring(GraphColouring::None); }}};
    for (const auto& [id, name, run] : colourings)
        add(qPrintable(QStringLiteral("graph.colour.") + QLatin1String(id)), view,
            tr("Colour by: %1").arg(name), "", {}, tr("What the fill of the ops says."), run);
}

void GraphView::setColouring(GraphColouring colouring)
{
    m_options.colouring = colouring;
    optionsChanged();
}

void GraphView::setShape(const GraphShape& shape)
{
    const bool turned = shape.leftToRight != m_shape.leftToRight || shape.columns != m_shape.columns ||
                        shape.hops != m_shape.hops || shape.focus != m_shape.focus;
    m_shape = shape;
    if (turned)
        m_movedByHand = false; // another picture: look at all of it
    optionsChanged();
}

void GraphView::setEdgeLabels(bool on)
{
    m_options.edgeLabels = on;
    optionsChanged();
}

void GraphView::setOverview(bool on)
{
    m_overview = on;
    optionsChanged();
}

void GraphView::setCollapsed(SubgraphId subgraph, bool collapsed)
{
    GraphShape shape = m_shape;
    for (OpId op : document().schedule()[subgraph].ops)
        shape.collapsed.erase(op);
    if (collapsed)
        shape.collapsed.insert(document().schedule()[subgraph].ops.front());
    setShape(shape);
}

void GraphView::collapseAll(bool collapsed)
{
    GraphShape shape = m_shape;
    shape.collapsed.clear();
    if (collapsed)
        for (const SubgraphPtr& s : document().schedule().subgraphs)
            if (!s->ops.empty())
                shape.collapsed.insert(s->ops.front());
    m_movedByHand = false;
    setShape(shape);
}

void GraphView::setNeighbourhood(int hops)
{
    GraphShape shape = m_shape;
    shape.focus.clear();
    shape.hops = 0;
    if (hops > 0) {
        const SelectionState& s = selection().state();
        shape.focus = s.ops;
        if (shape.focus.empty())
            for (SubgraphId i : s.subgraphs)
                if (i.index() < document().schedule().size())
                    shape.focus.insert(document().schedule()[i].ops.begin(),
                                       document().schedule()[i].ops.end());
        if (shape.focus.empty() && s.tensor) {
            if (const auto producer = document().problem()->producer(*s.tensor))
                shape.focus.insert(*producer);
            const auto consumers = document().problem()->consumers(*s.tensor);
            shape.focus.insert(consumers.begin(), consumers.end());
        }
        if (!shape.focus.empty())
            shape.hops = hops;
    }
    setShape(shape);
}

// -- keyboard -------------------------------------------------------------------------------------------

void GraphView::keyPressEvent(QKeyEvent* event)
{
    const bool ready = m_model != nullptr;
    switch (event->key()) {
    case Qt::Key_Escape:
        if (m_gesture != Gesture::None)
            cancelGesture();
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

// -- context menu ---------------------------------------------------------------------------------------

void GraphView::addMoveMenus(QMenu& menu, const std::vector<OpId>& ops, std::optional<SubgraphId> from)
{
    // Subgraphs that touch a tensor of the ops; others would not be connected.
    const Problem& problem = *document().problem();
    const Schedule& schedule = document().schedule();
    std::set<TensorId> touched;
    for (OpId op : ops) {
        touched.insert(problem.op(op).inputs.begin(), problem.op(op).inputs.end());
        touched.insert(problem.op(op).output);
    }
    std::vector<SubgraphId> targets;
    for (std::size_t s = 0; s < schedule.size(); ++s)
        if (std::any_of(schedule.subgraphs[s]->ops.begin(), schedule.subgraphs[s]->ops.end(), [&](OpId o) {
                const auto& in = problem.op(o).inputs;
                return touched.count(problem.op(o).output) > 0 ||
                       std::any_of(in.begin(), in.end(), [&](TensorId t) { return touched.count(t) > 0; });
            }))
            targets.emplace_back(s);
    for (const bool copy : {false, true}) {
        QMenu* sub = menu.addMenu(copy ? tr("Recompute in") : tr("Move to"));
        for (SubgraphId s : targets) {
            if (s == from)
                continue;
            QStringList names;
            for (std::size_t i = 0; i < schedule[s].ops.size() && i < 4; ++i)
                names << QString::fromStdString(problem.opName(schedule[s].ops[i]));
            if (schedule[s].ops.size() > 4)
                names << QStringLiteral("…");
            sub->addAction(tr("Subgraph %1 (%2)").arg(s.value).arg(names.join(QStringLiteral(", "))), this,
                           [this, ops, from, s, copy] {
                               applyDrop(document(), selection(), {ops, from, s, copy, false});
                           });
        }
        sub->addSeparator();
        sub->addAction(tr("New subgraph"), this, [this, ops, from, copy] {
            applyDrop(document(), selection(), {ops, from, std::nullopt, copy, false});
        });
    }
}

void GraphView::showMenu(QPointF position, const GraphHit& hit)
{
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const auto offer = [&](std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (QAction* action = registry().find(QLatin1String(id)))
                menu->addAction(action);
        menu->addSeparator();
    };
    const std::vector<OpId> ops = selectedOps(document(), selection());
    if (hit.op || hit.subgraph) {
        offer({"schedule.fuse", "schedule.split", "schedule.splitApart"});
        if (!ops.empty()) {
            const auto from = selection().state().subgraph;
            addMoveMenus(*menu, ops, from);
            menu->addSeparator();
        }
        offer({"schedule.moveUp", "schedule.moveDown", "schedule.duplicate", "schedule.delete",
               "schedule.lock"});
    }
    if (hit.tensor)
        offer({"schedule.retain"});
    if (hit.op && document().problem()->op(*hit.op).type == OpType::MatMul) {
        const OpId op = *hit.op;
        menu->addAction(tr("Show as GEMM in the Systolic lens"), this, [this, op] {
            const Problem& problem = *document().problem();
            const Tensor& out = problem.tensor(problem.op(op).output);
            selection().openGemm(out.height, out.width, problem.reductionSize(op),
                                 QString::fromStdString(problem.opName(op)));
        });
        menu->addSeparator();
    }
    offer({"graph.collapse", "graph.neighbourhood", "graph.expandAll", "view.fit"});
    menu->popup(mapToGlobal(position.toPoint()));
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
