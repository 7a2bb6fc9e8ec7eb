// SPDX-License-Identifier: GPL-3.0-or-later
// Toolbar, commands, keys and context menu of the graph view.
#include "theme/text_metrics.h"
#include "views/graph/graph_view.h"
#include "workspace/selection.h"

#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr double kNudged = 8; // distance in scene units by which a key press moves a node

/// Returns the subgraphs that share a tensor with the ops. In other subgraphs the ops would not be connected.
std::vector<SubgraphId> neighboursOf(const Problem& problem, const Schedule& schedule,
                                     const std::vector<OpId>& ops, std::optional<SubgraphId> from)
{
    std::set<TensorId> touched;
    for (OpId op : ops) {
        touched.insert(problem.op(op).inputs.begin(), problem.op(op).inputs.end());
        touched.insert(problem.op(op).output);
    }
    const auto touches = [&](OpId o) {
        const auto& in = problem.op(o).inputs;
        return touched.count(problem.op(o).output) > 0 ||
               std::any_of(in.begin(), in.end(), [&](TensorId t) { return touched.count(t) > 0; });
    };
    std::vector<SubgraphId> out;
    for (std::size_t s = 0; s < schedule.size(); ++s)
        if (from != SubgraphId(s) &&
            std::any_of(schedule.subgraphs[s]->ops.begin(), schedule.subgraphs[s]->ops.end(), touches))
            out.emplace_back(s);
    return out;
}

QString words(const GraphVerdict& verdict)
{
    switch (verdict.kind) {
    case GraphVerdict::Kind::Better:
        return QStringLiteral("▼ ") + verdict.text;
    case GraphVerdict::Kind::Worse:
        return QStringLiteral("▲ ") + verdict.text;
    case GraphVerdict::Kind::Invalid:
    case GraphVerdict::Kind::Refused:
        return QStringLiteral("✕ ") + verdict.text;
    case GraphVerdict::Kind::Unknown:
    case GraphVerdict::Kind::Same:
        break;
    }
    return verdict.text;
}

/// Adds the menus "Move to" and "Recompute in", which replace a drag by mouse: they show the verdict of each
/// target before the choice.
void addMoveMenu(QMenu& menu, const ViewContext& context, const GraphGeometry& geometry,
                 const std::vector<OpId>& ops, std::optional<SubgraphId> from, bool copy)
{
    Document& document = context.document;
    Selection& selection = context.selection;
    const Problem& problem = *document.problem();
    const Schedule& schedule = document.schedule();
    QMenu* sub = menu.addMenu(copy ? QObject::tr("Recompute in") : QObject::tr("Move to"));
    sub->setToolTipsVisible(true);
    const std::vector<SubgraphId> targets = neighboursOf(problem, schedule, ops, from);
    std::map<SubgraphId, QAction*> actions;
    const auto add = [&](const QString& text, std::optional<SubgraphId> to) {
        QAction* action = sub->addAction(text + QStringLiteral("\t…"));
        action->setData(text);
        QObject::connect(action, &QAction::triggered, sub, [&document, &selection, ops, from, to, copy] {
            const bool force = QGuiApplication::keyboardModifiers() & Qt::AltModifier;
            applyDrop(document, selection, {ops, from, to, copy, force});
        });
        return action;
    };
    for (SubgraphId s : targets) {
        QStringList names;
        for (std::size_t i = 0; i < schedule[s].ops.size() && i < 3; ++i)
            names << withoutPrefix(problem.opName(schedule[s].ops[i]), geometry.namePrefix);
        if (schedule[s].ops.size() > 3)
            names << QStringLiteral("…");
        actions.emplace(
            s, add(QObject::tr("Subgraph %1 (%2)").arg(s.value).arg(names.join(QStringLiteral(", "))), s));
    }
    sub->addSeparator();
    QAction* fresh = add(QObject::tr("New subgraph"), std::nullopt);

    // The verdicts are requested when the menu opens and arrive one by one from the background, as during a
    // drag.
    auto* trial = new GraphDrag(document, sub);
    const auto show = [trial, actions, fresh] {
        const auto say = [](QAction* action, const GraphVerdict& verdict) {
            action->setText(action->data().toString() + QLatin1Char('\t') + words(verdict));
            action->setToolTip(verdict.detail);
        };
        say(fresh, trial->verdict());
        for (const auto& [s, verdict] : trial->verdicts())
            if (const auto action = actions.find(s); action != actions.end())
                say(action->second, verdict);
    };
    QObject::connect(trial, &GraphDrag::changed, sub, show);
    QObject::connect(sub, &QMenu::aboutToShow, trial, [trial, ops, from, targets, copy, show] {
        trial->begin(ops, from, targets);
        trial->update(std::nullopt, copy, false);
        show();
    });
    QObject::connect(sub, &QMenu::aboutToHide, trial, &GraphDrag::cancel);
}

/// Shows the context menu at a position of the graph: edits of the selection, and targets for its ops with
/// their effects.
void showGraphMenu(const ViewContext& context, const GraphGeometry& geometry, const GraphHit& hit, QPoint at,
                   QWidget* view)
{
    Document& document = context.document;
    Selection& selection = context.selection;
    auto* menu = new QMenu(view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const auto addTo = [&context](QMenu& to, std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (QAction* action = context.actions.find(QLatin1String(id)))
                to.addAction(action);
    };
    const auto addSubmenu = [&](const QString& name, std::initializer_list<const char*> ids) {
        QMenu* sub = menu->addMenu(name);
        sub->setToolTipsVisible(true);
        addTo(*sub, ids);
        return sub;
    };
    if (hit.tensor && !hit.op && selection.state().tensor != hit.tensor)
        // Select the tensor, because the commands of the menu act on the selection.
        selection.selectTensor(hit.tensor);
    const std::vector<OpId> ops = selectedOps(document, selection);
    if (hit.op || hit.subgraph) {
        addTo(*menu, {"schedule.fuse", "schedule.split"});
        if (!ops.empty()) {
            const auto from = sourceOf(document.schedule(), ops, {selection.state().subgraph, hit.subgraph});
            for (const bool copy : {false, true})
                addMoveMenu(*menu, context, geometry, ops, from, copy);
        }
        addTo(*menu, {"schedule.duplicate", "schedule.delete"});
        addSubmenu(QObject::tr("Order"), {"schedule.moveUp", "schedule.moveDown", "schedule.splitApart"});
        menu->addSeparator();
    }
    if (hit.tensor)
        addTo(*menu, {"schedule.retain"});
    if (hit.op || hit.subgraph)
        addTo(*menu, {"schedule.lock"});
    if (hit.op || hit.subgraph)
        addSubmenu(QObject::tr("Constraints"), {"schedule.constrain.together", "schedule.constrain.apart",
                                                "schedule.constrain.tile", "schedule.constrain.range"});
    else if (hit.tensor)
        addSubmenu(QObject::tr("Constraints"), {"schedule.constrain.always", "schedule.constrain.never"});
    if (hit.op && document.problem()->op(*hit.op).type == OpType::MatMul) {
        const OpId op = *hit.op;
        QMenu* lenses = addSubmenu(QObject::tr("Show in"), {"lens.systolic", "lens.mapping", "lens.npu"});
        lenses->addAction(QObject::tr("Show as GEMM in the Systolic lens"), lenses,
                          [&document, &workspace = context.workspace, op] {
                              const Problem& problem = *document.problem();
                              const Tensor& out = problem.tensor(problem.op(op).output);
                              workspace.openGemm({out.height, out.width, problem.reductionSize(op)},
                                                 QString::fromStdString(problem.opName(op)));
                          });
    }
    menu->addSeparator();
    if (hit.isSection || (hit.subgraph && !hit.op))
        addTo(*menu, {"graph.collapse"});
    addSubmenu(QObject::tr("Select"), {"graph.sameSubgraph", "graph.selectAll", "graph.invert"});
    QMenu* graph = addSubmenu(QObject::tr("Graph"), {"graph.collapse", "graph.neighbourhood",
                                                     "graph.expandAll", "view.fit", "view.maximise"});
    if (hit.op && geometry.sectionOf(*hit.op))
        addTo(*graph, {"graph.closeCard"});
    if (const auto op = hit.isSection ? std::optional(OpId(geometry.keys[*hit.node].id)) : hit.op;
        op && geometry.repetitionOf(*op))
        addTo(*graph, {"graph.spreadBlocks"});
    if (!document.nudges().isEmpty())
        addTo(*graph, {"graph.resetNudges"});
    menu->popup(at);
}

} // namespace

void GraphView::connectToolbar()
{
    GraphToolbar* toolbar = &m_bars.toolbar();
    connect(toolbar, &GraphToolbar::colouringChosen, this, &GraphView::setColouring);
    connect(toolbar, &GraphToolbar::hopsChosen, this, &GraphView::setNeighbourhood);
    connect(toolbar, &GraphToolbar::collapseAll, this, [this] { collapseAll(true); });
    connect(toolbar, &GraphToolbar::expandAll, this, [this] { collapseAll(false); });
    const SearchField* field = toolbar->searchField();
    connect(field, &QLineEdit::textChanged, &m_cursor, &GraphCursor::search);
    connect(field, &SearchField::next, &m_cursor, &GraphCursor::searchNext);
    connect(field, &SearchField::left, this, qOverload<>(&QWidget::setFocus));
    connect(&m_bars, &GraphBars::linkActivated, this, [this](const QString& what) {
        if (what == QLatin1String("leave") || what == QLatin1String("compare")) {
            if (QAction* action =
                    registry().find(QStringLiteral("compare.") + what)) // an action of the Compare view
                action->trigger();
            return;
        }
        if (what == QLatin1String("all"))
            setNeighbourhood(0);
        else
            collapseAll(what == QLatin1String("cards"));
        setFocus();
    });
}

void GraphView::toggle(const char* key)
{
    for (const Switch& s : m_switches)
        if (s.key == QLatin1String(key))
            s.action->toggle();
}

/// Registers the actions. Keys that are single letters act only while the graph has the focus.
void GraphView::registerActions()
{
    Actions& actions = registry();
    if (actions.find(QStringLiteral("graph.find")))
        return;
    QPointer<GraphView> self(this);
    const auto add = [&](const char* id, const QString& menu, const QString& text, const char* iconName,
                         QKeySequence key, const QString& tip, void (*run)(GraphView&)) {
        QAction* action = actions.add(id, menu, text, iconName,
                                      key.isEmpty() ? QList<QKeySequence>{} : QList<QKeySequence>{key}, tip,
                                      {}, [self, run] {
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
    // Only with the focus in the graph, because lists and fields have a "select all" of their own.
    addHere("graph.selectAll", tr("Select &all ops"), QKeySequence::SelectAll,
            tr("Select every op of the graph."),
            [](GraphView& g) { selectAllOps(g.document(), g.selection()); });
    addHere("graph.invert", tr("In&vert selection"), Qt::CTRL | Qt::SHIFT | Qt::Key_I,
            tr("Select all ops that are not selected. If no ops are selected, invert the selection of "
               "subgraphs."),
            [](GraphView& g) { invertSelection(g.document(), g.selection()); });
    addHere("graph.sameSubgraph", tr("Select ops of the same su&bgraph"), Qt::Key_S,
            tr("Extend the selection to all ops of the subgraphs that run a selected op."),
            [](GraphView& g) { selectSameSubgraph(g.document(), g.selection()); });
    add("graph.find", edit, tr("&Find in the graph"), "search", QKeySequence::Find,
        tr("Mark ops, tensors and subgraphs by part of their name. Enter moves to the next hit."),
        [](GraphView& g) {
            g.toolbar().searchField()->setFocus();
            g.toolbar().searchField()->selectAll();
        });
    add("graph.producer", edit, tr("Select producer"), "", Qt::Key_BracketLeft,
        tr("Select the producer of the selected op's first input."),
        [](GraphView& g) { g.m_cursor.followTensor(false); });
    add("graph.consumer", edit, tr("Select consumer"), "", Qt::Key_BracketRight,
        tr("Select the first consumer of the selected op's output."),
        [](GraphView& g) { g.m_cursor.followTensor(true); });
    add("graph.previous", edit, tr("Previous subgraph"), "", Qt::Key_Comma,
        tr("Select the subgraph executed before the selected one."),
        [](GraphView& g) { g.m_cursor.goToSubgraph(-1); });
    add("graph.next", edit, tr("Next subgraph"), "", Qt::Key_Period,
        tr("Select the subgraph executed after the selected one."),
        [](GraphView& g) { g.m_cursor.goToSubgraph(1); });
    add("graph.overview", view, tr("Graph: over&view"), "", Qt::Key_M,
        tr("Show or hide the small picture of the whole graph."), [](GraphView& g) { g.toggle("overview"); });
    add("graph.overviewCorner", view, tr("Graph: overview in another corner"), "", Qt::SHIFT | Qt::Key_M,
        tr("Move the small picture of the whole graph to the next corner, clockwise."), [](GraphView& g) {
            g.m_navigator.setOverviewCorner((g.m_navigator.overviewCorner() + 1) % 4);
            g.optionsChanged();
        });
    add("graph.neighbourhood", view, tr("Graph: &neighbourhood"), "", Qt::Key_N,
        tr("Show only ops within two hops of the selection, or everything again."),
        [](GraphView& g) { g.setNeighbourhood(g.shape().hops > 0 ? 0 : 2); });
    add("graph.collapse", view, tr("Graph: collapse or expand"), "", Qt::Key_C,
        tr("Draw the selected subgraph as one card, or open it again."), [](GraphView& g) {
            if (const auto v = g.m_cursor.node();
                v && g.model()->nodes[*v].key.kind == GraphKey::Kind::Section) {
                g.openSection(*v);
                return;
            }
            const auto s = g.selection().state().subgraph;
            if (s && g.model() && !g.m_layouter.isPreview() && s->index() < g.model()->hulls.size())
                g.setCollapsed(*s, !g.model()->hulls[s->index()].collapsed);
        });
    add("graph.closeCard", view, tr("Graph: close the card"), "", Qt::SHIFT | Qt::Key_C,
        tr("Put the subgraphs around the selected op back on the card that they were opened from."),
        [](GraphView& g) {
            if (const auto v = g.m_cursor.node(); v && !g.model()->nodes[*v].key.isTensor())
                g.closeSection(OpId(g.model()->nodes[*v].key.id));
        });
    add("graph.spreadBlocks", view, tr("Graph: separate equal blocks"), "", Qt::SHIFT | Qt::Key_B,
        tr("Draw each of the repeating blocks around the selected op or card as its own card, or all as one "
           "card again."),
        [](GraphView& g) {
            if (const auto v = g.m_cursor.node(); v && !g.model()->nodes[*v].key.isTensor())
                g.spreadBlocks(OpId(g.model()->nodes[*v].key.id));
        });
    add("graph.showSelection", edit, tr("S&how the selection in the graph"), "search", {},
        tr("Zoom to the selected ops, subgraphs or tensor."), [](GraphView& g) { g.fitSelection(); });
    add("graph.collapseAll", view, tr("Graph: collapse all"), "", {}, tr("Draw every subgraph as one card."),
        [](GraphView& g) { g.collapseAll(true); });
    add("graph.expandAll", view, tr("Graph: expand all"), "", {}, tr("Draw the ops of every subgraph."),
        [](GraphView& g) { g.collapseAll(false); });
    Document* document = &this->document();
    addAction(actions.add(
        "graph.resetNudges", view, tr("Graph: reset node positions"), "", {},
        tr("Move all nodes back to their automatic positions (Shift+drag moves nodes)."),
        [document] {
            return Availability(!document->nudges().isEmpty(), tr("No node has been moved by hand."));
        },
        [document] { document->nudge({}, tr("Reset node positions")); }));
    document->whenChanged(&actions, Part::Nudges, &Actions::refresh);
    add("graph.orientation", view, tr("Graph: left-to-right"), "", {},
        tr("Draw the graph from left to right, or from top to bottom again."),
        [](GraphView& g) { g.toggle("leftToRight"); });
    const std::tuple<const char*, QString, GraphColouring> colourings[] = {
        {"automatic", tr("automatic"), GraphColouring::Automatic},
        {"subgraph", tr("subgraph"), GraphColouring::Subgraph},
        {"type", tr("op type"), GraphColouring::OpType},
        {"bound", tr("bound"), GraphColouring::Bound},
        {"latency", tr("latency"), GraphColouring::Latency},
        {"intensity", tr("intensity"), GraphColouring::Intensity},
        {"measured", tr("measured values of an overlay"), GraphColouring::Measured},
        {"none", tr("none"), GraphColouring::None}};
    for (const auto& [id, name, colouring] : colourings)
        addAction(actions.add({QStringLiteral("graph.colour.") + QLatin1String(id),
                               view,
                               tr("Colour by: %1").arg(name),
                               {},
                               {},
                               tr("Quantity that the colour of the ops shows."),
                               true,
                               {},
                               {},
                               [self, c = colouring] { return self && self->options().colouring == c; }},
                              [self, c = colouring](bool) {
                                  if (self)
                                      self->setColouring(c);
                              }));
}

void GraphView::addOwnKeys()
{
    addKeys(
        "neighbour", tr("Go to a neighbour"), arrowKeys(),
        tr("Select the nearest op in that direction, along lines first; with Shift add it to the selection."),
        [this](const KeyUse& use) {
            if (!model() || !m_cursor.step(use.arrow(), use.modifiers))
                panBy(-48 * QPointF(use.arrow()));
        });
    addKeys("nudge", tr("Nudge the selection"), arrowKeys(Qt::ControlModifier | Qt::ShiftModifier),
            tr("Move the nodes in the picture. The schedule does not change."),
            [this](const KeyUse& use) { nudgeSelected(kNudged * QPointF(use.arrow())); });
    addKeys("toggle", tr("Toggle selection"), {QKeySequence(Qt::Key_Space)},
            tr("Add the node with the keyboard focus to the selection, or remove it."), [this] {
                if (const auto v = m_cursor.node())
                    m_cursor.select(hitOfNode(*model(), *v), Qt::ControlModifier);
                else if (model())
                    m_cursor.startInTheMiddle();
            });
    addKeys("properties", tr("Go to the properties"), {QKeySequence(Qt::Key_Return)},
            tr("Move the focus to the inspector. A card of equal blocks opens."), [this] {
                if (const auto v = m_cursor.node(); v && model()->nodes[*v].isStack)
                    openSection(*v);
                else if (QAction* inspector = registry().find(QStringLiteral("view.inspector")))
                    inspector->trigger();
            });
    addKeys("menu", tr("Context menu"), {QKeySequence(Qt::Key_Menu)}, tr("Open the menu of the selection."),
            [this] { showMenuOfCursor(); });
    addKeys("letGo", tr("Cancel or clear selection"), {QKeySequence(Qt::Key_Escape)},
            tr("Cancel the drag, the search or the neighbourhood, or clear the selection."),
            [this] { letGo(); });
    addGesture("move", tr("Move ops to another subgraph"), tr("drag"),
               tr("The change of the total is shown before the drop."));
    addGesture("recompute", tr("Recompute ops in another subgraph"), tr("Ctrl+drag"),
               tr("The ops also stay in their subgraph."));
    addGesture("nudgeByHand", tr("Nudge nodes"), tr("Shift+drag"),
               tr("The nodes move in the picture. The schedule does not change."));
    addGesture("force", tr("Drop although refused"), tr("Alt+drag"), tr("The schedule may become invalid."));
}

void GraphView::letGo()
{
    if (m_gestures.isActive())
        m_gestures.cancel();
    else if (m_layouter.isPreview())
        document().dropPreview();
    else if (m_cursor.isSearching())
        toolbar().searchField()->clear();
    else if (shape().hops > 0)
        setNeighbourhood(0);
    else
        selection().clear();
}

void GraphView::nudgeSelected(QPointF by)
{
    if (!model() || m_layouter.isPreview())
        return;
    const std::vector<GraphKey> nodes =
        selectedNodes(*m_layouter.geometry(), document().schedule(), selection().state());
    if (!nodes.empty())
        document().nudge(movedOn(document().nudges(), nodes, shape().leftToRight, by),
                         nudgeText(*model(), nodes), QStringLiteral("nudge"));
}

void GraphView::showMenu(QPointF position, const GraphHit& hit)
{
    document().dropPreview(); // end the preview, because the menu entries edit the document's schedule
    showGraphMenu(context(), *m_layouter.geometry(), hit, mapToGlobal(position.toPoint()), this);
}

void GraphView::showMenuOfCursor()
{
    if (!model())
        return;
    GraphHit hit;
    if (const auto v = m_cursor.node())
        hit = hitOfNode(*model(), *v);
    else
        hit.subgraph = selection().state().subgraph;
    showMenu(hit.node ? viewport().toScreen(model()->nodes[*hit.node].rect.center())
                      : m_bars.content().center(),
             hit);
}

} // namespace tilewright::ui
