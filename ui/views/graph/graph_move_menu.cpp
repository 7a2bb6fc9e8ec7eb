// SPDX-License-Identifier: GPL-3.0-or-later
// "Move to" and "Recompute in" of the context menu: the drags of the graph for the keyboard, with the same
// verdicts before the choice.
#include "theme/name.h"
#include "views/graph/graph_view.h"

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

} // namespace

void GraphView::addMoveMenu(QMenu& menu, const std::vector<OpId>& ops, std::optional<SubgraphId> from,
                            bool copy)
{
    const Problem& problem = *document().problem();
    const Schedule& schedule = document().schedule();
    QMenu* sub = menu.addMenu(copy ? tr("Recompute in") : tr("Move to"));
    sub->setToolTipsVisible(true);
    const std::vector<SubgraphId> targets = neighboursOf(problem, schedule, ops, from);
    std::map<SubgraphId, QAction*> actions;
    const auto add = [&](const QString& text, std::optional<SubgraphId> to) {
        QAction* action = sub->addAction(text + QStringLiteral("\t…"));
        action->setData(text);
        connect(action, &QAction::triggered, this, [this, ops, from, to, copy] {
            const bool force = QGuiApplication::keyboardModifiers() & Qt::AltModifier;
            applyDrop(document(), selection(), {ops, from, to, copy, force});
        });
        return action;
    };
    for (SubgraphId s : targets) {
        QStringList names;
        for (std::size_t i = 0; i < schedule[s].ops.size() && i < 3; ++i)
            names << withoutPrefix(problem.opName(schedule[s].ops[i]), m_geometry->namePrefix);
        if (schedule[s].ops.size() > 3)
            names << QStringLiteral("…");
        actions.emplace(s, add(tr("Subgraph %1 (%2)").arg(s.value).arg(names.join(QStringLiteral(", "))), s));
    }
    sub->addSeparator();
    QAction* fresh = add(tr("New subgraph"), std::nullopt);

    // Asked when the menu opens, answered one by one in the background, as while dragging.
    auto* trial = new GraphDrag(document(), sub);
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
    connect(trial, &GraphDrag::changed, sub, show);
    connect(sub, &QMenu::aboutToShow, trial, [trial, ops, from, targets, copy, show] {
        trial->begin(ops, from, targets);
        trial->update(std::nullopt, copy, false);
        show();
    });
    connect(sub, &QMenu::aboutToHide, trial, &GraphDrag::cancel);
}

} // namespace tilewright::ui
