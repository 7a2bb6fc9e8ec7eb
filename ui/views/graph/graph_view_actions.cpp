// SPDX-License-Identifier: GPL-3.0-or-later
// Toolbar, options, actions and context menu of the graph view.
#include "workspace/selection_edits.h"
#include "views/graph/graph_sections.h"
#include "views/graph/graph_toolbar.h"
#include "views/graph/graph_view.h"

#include <QLineEdit>
#include <QMenu>
#include <QPointer>

#include <algorithm>

namespace tilewright::ui {

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
    connect(m_toolbar, &GraphToolbar::legendToggled, this, &GraphView::setLegend);
    connect(m_toolbar, &GraphToolbar::cardsToggled, this, &GraphView::setCards);
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
        if (!key.isEmpty() && key.count() == 1 &&
            !(key[0].keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier)))
            action->setShortcutContext(Qt::WidgetShortcut);
        addAction(action);
    };
    const QString edit = tr("Edit"), view = tr("View");
    const auto addHere = [&](const char* id, const QString& text, QKeySequence key, const QString& tip,
                             void (*run)(GraphView&)) {
        add(id, edit, text, "", key, tip, run);
        actions.find(QLatin1String(id))->setShortcutContext(Qt::WidgetShortcut);
    };
    // Lists and fields have a "select all" of their own.
    addHere("graph.selectAll", tr("Select &all ops"), QKeySequence::SelectAll,
            tr("Select every op of the graph."),
            [](GraphView& g) { selectAllOps(g.document(), g.selection()); });
    addHere("graph.invert", tr("In&vert selection"), Qt::CTRL | Qt::SHIFT | Qt::Key_I,
            tr("Select the ops that are not selected; without ops, the subgraphs that are not."),
            [](GraphView& g) { invertSelection(g.document(), g.selection()); });
    addHere("graph.sameSubgraph", tr("Select ops of the same su&bgraph"), Qt::Key_S,
            tr("Extend the selection to all ops of the subgraphs that hold a selected op."),
            [](GraphView& g) { selectSameSubgraph(g.document(), g.selection()); });
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
            if (const auto v = g.cursorNode();
                v && g.m_model->nodes[*v].key.kind == GraphKey::Kind::Section) {
                g.openSection(*v);
                return;
            }
            const auto s = g.selection().state().subgraph;
            if (s && g.m_model && !g.m_home && s->index() < g.m_model->hulls.size())
                g.setCollapsed(*s, !g.m_model->hulls[s->index()].collapsed);
        });
    add("graph.closeCard", view, tr("Graph: close the card"), "", Qt::SHIFT | Qt::Key_C,
        tr("Put the subgraphs round the selected op back on the card that they were opened from."),
        [](GraphView& g) {
            if (const auto v = g.cursorNode(); v && !g.m_model->nodes[*v].key.isTensor())
                g.closeSection(OpId(g.m_model->nodes[*v].key.id));
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

void GraphView::setLegend(bool on)
{
    m_legend = on;
    optionsChanged();
}

void GraphView::setOverview(bool on)
{
    m_overview = on;
    optionsChanged();
}

void GraphView::setCollapsed(SubgraphId subgraph, bool collapsed)
{
    const std::vector<OpId>& ops = document().schedule()[subgraph].ops;
    GraphShape shape = m_shape;
    for (OpId op : ops)
        shape.collapsed.erase(op);
    if (collapsed) {
        shape.collapsed.insert(ops.front());
    } else if (m_geometry && m_geometry->condensed) {
        shape.opened.insert(ops.front());
        m_opened.insert(ops.begin(), ops.end());
    }
    setShape(shape);
}

void GraphView::openSection(std::size_t node)
{
    const std::vector<OpId>& ops = m_geometry->sections.at(node).ops;
    GraphShape shape = m_shape;
    // Ops of one section; subgraphs that begin in it are opened by any of them.
    shape.opened.insert(OpId(m_geometry->keys[node].id));
    for (SubgraphId s : m_geometry->sections.at(node).subgraphs)
        shape.opened.insert(m_geometry->members[s.index()].front());
    m_opened.insert(ops.begin(), ops.end());
    setShape(shape);
}

void GraphView::closeSection(OpId op)
{
    if (!m_geometry || m_geometry->sectionOfOp.empty())
        return;
    // Where the first op of its subgraph lies.
    const Schedule& schedule = m_model->snapshot->schedule;
    const auto homes = subgraphsWith(schedule, op);
    const OpId first = homes.empty() ? op : schedule[homes.front()].ops.front();
    const std::uint32_t section = m_geometry->sectionOfOp[first.index()];
    GraphShape shape = m_shape;
    std::erase_if(shape.opened, [&](OpId o) { return m_geometry->sectionOfOp[o.index()] == section; });
    setShape(shape);
}

void GraphView::collapseAll(bool collapsed)
{
    GraphShape shape = m_shape;
    shape.collapsed.clear();
    shape.opened.clear();
    const bool large = document().hasProblem() && document().problem()->opCount() > kCardsAbove;
    if (large)
        shape.cards = collapsed;
    else if (collapsed)
        for (const SubgraphPtr& s : document().schedule().subgraphs)
            if (!s->ops.empty())
                shape.collapsed.insert(s->ops.front());
    m_movedByHand = false;
    setShape(shape);
}

void GraphView::setCards(bool on)
{
    GraphShape shape = m_shape;
    shape.cards = on;
    shape.opened.clear();
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

void GraphView::showMenu(QPointF position, const GraphHit& hit)
{
    document().dropPreview(); // its entries are edits
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
            const auto from = sourceOf(ops, {selection().state().subgraph, hit.subgraph});
            for (const bool copy : {false, true})
                addMoveMenu(*menu, ops, from, copy);
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
    if (hit.op && !m_geometry->sectionOfOp.empty())
        offer({"graph.closeCard"});
    offer({"graph.sameSubgraph", "graph.selectAll", "graph.invert"});
    offer({"graph.collapse", "graph.neighbourhood", "graph.expandAll", "view.fit"});
    menu->popup(mapToGlobal(position.toPoint()));
}

} // namespace tilewright::ui
