// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/selection_summary.h"

#include "edit/edits.h"
#include "report/summary.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"
#include "workspace/op_names.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <set>

namespace tilewright::ui {

namespace {

constexpr std::size_t kMostLinks = 40;

/// Lines instead of columns: five numbers side by side do not fit into a narrow pane.
QString spreads(const SubgraphsSummary& summary, const Theme& theme)
{
    struct Measure
    {
        QString name;
        const Spread& spread;
        bool sums;
    };
    const std::array measures{
        Measure{tr("Latency"), summary.latency, true}, Measure{tr("Compute time"), summary.compute, true},
        Measure{tr("Memory time"), summary.memory, true}, Measure{tr("Traffic"), summary.traffic, true},
        Measure{tr("Working set"), summary.workingSet, false}};
    QString html;
    for (const Measure& m : measures) {
        html += QStringLiteral("<p style='margin:4px 0'><b>%1</b>").arg(m.name);
        if (m.sums)
            html += tr(" · sum %1").arg(number(m.spread.sum));
        html += QStringLiteral("<br><span style='color:%1'>").arg(theme.muted.name()) +
                tr("min %1 · mean %2 · max %3")
                    .arg(number(m.spread.min), number(m.spread.mean), number(m.spread.max)) +
                QStringLiteral("</span></p>");
    }
    return html;
}

} // namespace

std::vector<SubgraphId> concernedSubgraphs(const Schedule& schedule, const SelectionState& selection)
{
    std::set<SubgraphId> out;
    if (selection.ops.empty()) {
        out = selection.subgraphs;
        if (selection.subgraph)
            out.insert(*selection.subgraph);
    } else {
        for (std::size_t i = 0; i < schedule.size(); ++i)
            if (std::any_of(schedule.subgraphs[i]->ops.begin(), schedule.subgraphs[i]->ops.end(),
                            [&](OpId o) { return selection.ops.count(o) > 0; }))
                out.insert(SubgraphId(i));
    }
    std::erase_if(out, [&](SubgraphId i) { return i.index() >= schedule.size(); });
    return {out.begin(), out.end()};
}

bool showsSeveral(const Schedule& schedule, const SelectionState& selection)
{
    if (concernedSubgraphs(schedule, selection).size() < 2)
        return false;
    if (selection.ops.empty() || !selection.subgraph || selection.subgraph->index() >= schedule.size())
        return true;
    const std::vector<OpId>& current = schedule[*selection.subgraph].ops;
    return !std::all_of(selection.ops.begin(), selection.ops.end(), [&](OpId o) {
        return std::find(current.begin(), current.end(), o) != current.end();
    });
}

QString selectionSummary(const Snapshot& snapshot, const SelectionState& selection, const Theme& theme)
{
    const auto subgraphs = concernedSubgraphs(snapshot.schedule, selection);
    const SubgraphsSummary summary = summarise(snapshot, subgraphs);
    std::set<OpId> all = selection.ops;
    if (all.empty())
        for (const SubgraphId i : subgraphs)
            all.insert(snapshot.schedule[i].ops.begin(), snapshot.schedule[i].ops.end());
    const std::vector<OpId> ops(all.begin(), all.end());

    const QString opCount = counted(static_cast<std::int64_t>(ops.size()), tr("op"), tr("ops"));
    QString html =
        QStringLiteral("<p><b>%1</b><br>%2</p>")
            .arg(selection.ops.empty() ? tr("%1 subgraphs with %2").arg(number(subgraphs.size())).arg(opCount)
                                       : tr("%1 in %2 subgraphs").arg(opCount).arg(number(subgraphs.size())))
            .arg(tr("%1 of the latency, %2 of the work of all ops")
                     .arg(percent(summary.latencyShare),
                          percent(workShare(*snapshot.problem, ops, snapshot.evaluation.rules))));
    if (summary.broken > 0)
        html += QStringLiteral("<p style='color:%1'>⚠ %2</p>")
                    .arg(theme.error.name(),
                         summary.broken == 1
                             ? tr("1 of them cannot run and is not counted below")
                             : tr("%1 of them cannot run and are not counted below").arg(summary.broken));
    if (summary.latency.count > 0)
        html += spreads(summary, theme);
    const auto links = [&](const QString& title, std::size_t n, auto&& link) {
        QStringList list;
        for (std::size_t i = 0; i < std::min(n, kMostLinks); ++i)
            list << link(i);
        if (n > kMostLinks)
            list << tr("%1 more").arg(n - kMostLinks);
        html += QStringLiteral("<p><b>%1</b> %2</p>").arg(title, list.join(QStringLiteral(", ")));
    };
    links(tr("Subgraphs"), subgraphs.size(), [&](std::size_t i) {
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[subgraphs[i].index()];
        return QStringLiteral("<a href='subgraph:%1'>%1</a>%2")
            .arg(subgraphs[i].index())
            .arg(e.structurallyValid ? QStringLiteral("&nbsp;(%1)").arg(shortNumber(e.latency)) : QString());
    });
    const QString dropped = commonPrefix(*snapshot.problem);
    links(tr("Ops"), ops.size(), [&](std::size_t i) {
        return QStringLiteral("<a href='op:%1'>%2</a>")
            .arg(ops[i].index())
            .arg(
                QString::fromStdString(snapshot.problem->opName(ops[i])).mid(dropped.size()).toHtmlEscaped());
    });
    return html;
}

QString selectedOpsText(const Snapshot& snapshot, const SelectionState& selection)
{
    if (selection.ops.empty())
        return {};
    const std::vector<OpId> ops(selection.ops.begin(), selection.ops.end());
    const QString share = percent(workShare(*snapshot.problem, ops, snapshot.evaluation.rules));
    return ops.size() == 1
               ? tr("%1 is selected: %2 of the work of all ops")
                     .arg(QString::fromStdString(snapshot.problem->opName(ops.front())).toHtmlEscaped(),
                          share)
               : tr("%1 ops are selected: %2 of the work of all ops").arg(number(ops.size()), share);
}

} // namespace tilewright::ui
