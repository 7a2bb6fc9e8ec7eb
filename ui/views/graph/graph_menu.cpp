// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_menu.h"

#include "theme/name.h"
#include "views/graph/graph_drag.h"
#include "views/graph/graph_gestures.h"

#include <QGuiApplication>
#include <QMenu>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Subgraphs that touch a tensor of the ops; others would not be connected.
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

/// "Move to" and "Recompute in": the drags of the graph for the keyboard, with the same verdicts before the
/// choice.
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

    // Asked when the menu opens, answered one by one in the background, as while dragging.
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

} // namespace

void showGraphMenu(const ViewContext& context, const GraphGeometry& geometry, const GraphHit& hit, QPoint at,
                   QWidget* view)
{
    Document& document = context.document;
    Selection& selection = context.selection;
    auto* menu = new QMenu(view);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    const auto offer = [&](std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (QAction* action = context.actions.find(QLatin1String(id)))
                menu->addAction(action);
        menu->addSeparator();
    };
    const std::vector<OpId> ops = selectedOps(document, selection);
    if (hit.op || hit.subgraph) {
        offer({"schedule.fuse", "schedule.split", "schedule.splitApart"});
        if (!ops.empty()) {
            const auto from = sourceOf(document.schedule(), ops, {selection.state().subgraph, hit.subgraph});
            for (const bool copy : {false, true})
                addMoveMenu(*menu, context, geometry, ops, from, copy);
            menu->addSeparator();
        }
        offer({"schedule.moveUp", "schedule.moveDown", "schedule.duplicate", "schedule.delete",
               "schedule.lock"});
    }
    if (hit.tensor)
        offer({"schedule.retain"});
    if (hit.op && document.problem()->op(*hit.op).type == OpType::MatMul) {
        const OpId op = *hit.op;
        offer({"lens.systolic", "lens.mapping", "lens.npu"});
        menu->addAction(QObject::tr("Show as GEMM in the Systolic lens"), menu,
                        [&document, &workspace = context.workspace, op] {
                            const Problem& problem = *document.problem();
                            const Tensor& out = problem.tensor(problem.op(op).output);
                            workspace.openGemm({out.height, out.width, problem.reductionSize(op)},
                                               QString::fromStdString(problem.opName(op)));
                        });
        menu->addSeparator();
    }
    if (hit.isSection)
        offer({"graph.collapse"});
    if (hit.op && geometry.sectionOf(*hit.op))
        offer({"graph.closeCard"});
    if (const auto op = hit.isSection ? std::optional(OpId(geometry.keys[*hit.node].id)) : hit.op;
        op && geometry.repetitionOf(*op))
        offer({"graph.spreadBlocks"});
    if (!document.nudges().isEmpty())
        offer({"graph.resetNudges"});
    offer({"graph.sameSubgraph", "graph.selectAll", "graph.invert"});
    offer({"graph.collapse", "graph.neighbourhood", "graph.expandAll", "view.fit"});
    menu->popup(at);
}

} // namespace tilewright::ui
