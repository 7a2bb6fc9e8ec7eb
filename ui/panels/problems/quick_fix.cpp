// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/problems/quick_fix.h"

#include "document/schedule_edits.h"
#include "eval/granularity_search.h"
#include "schedule/fit.h"

#include <QCoreApplication>

#include <array>

namespace tilewright::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("QuickFix", text);
}

std::optional<QuickFix> fixed(const QString& text, const Result<Schedule>& schedule, const Schedule& before)
{
    if (!schedule || *schedule == before)
        return std::nullopt;
    return QuickFix{text, *schedule};
}

} // namespace

std::optional<QuickFix> quickFix(const Snapshot& snapshot, const Issue& issue)
{
    const Problem& problem = *snapshot.problem;
    const Schedule& schedule = snapshot.schedule;
    const EditOptions options = editOptions(snapshot.evaluation.rules);
    switch (issue.code) {
    case IssueCode::Coverage:
        return fixed(tr("Cover missing ops"), edit::coverMissing(problem, schedule, options.rules), schedule);
    case IssueCode::Dependency:
        return fixed(tr("Repair the order"), edit::repairOrder(problem, schedule, options.rules), schedule);
    case IssueCode::OutOfMemory: {
        if (!issue.subgraph)
            return std::nullopt;
        const Subgraph& s = schedule[*issue.subgraph];
        // The fastest granularity that fits; the estimate only where the search finds none.
        const auto resident = snapshot.residentBefore(*issue.subgraph);
        const SubgraphPlan plan(problem, s.ops, snapshot.evaluation.rules);
        const auto best = bestGranularity(plan, resident, s.retain);
        const Granularity g =
            best ? best->granularity
                 : fittingGranularity(problem, s, resident, std::array{s.granularity}, options.rules);
        const std::array target{*issue.subgraph};
        return fixed(tr("Use %1×%2×%3, which fits").arg(g.w).arg(g.h).arg(g.k),
                     edit::setGranularity(problem, schedule, target, g, options), schedule);
    }
    case IssueCode::SuperNative:
    case IssueCode::KTooLarge:
    case IssueCode::Prologue: {
        if (!issue.subgraph)
            return std::nullopt;
        const Subgraph& s = schedule[*issue.subgraph];
        const Granularity g = legalGranularity(problem, s.ops, s.granularity, options.rules);
        const std::array target{*issue.subgraph};
        return fixed(tr("Use %1×%2×%3").arg(g.w).arg(g.h).arg(g.k),
                     edit::setGranularity(problem, schedule, target, g, options), schedule);
    }
    case IssueCode::Traversal: {
        if (!issue.subgraph)
            return std::nullopt;
        const std::array target{*issue.subgraph};
        return fixed(tr("Use raster order"),
                     edit::setTraversal(problem, schedule, target, TraversalKind::Raster, options), schedule);
    }
    case IssueCode::Retain:
    case IssueCode::Output:
    case IssueCode::OpOrder:
    case IssueCode::Disconnected:
    case IssueCode::Format:
    case IssueCode::Granularity:
        return fixed(tr("Normalise"), edit::normalise(problem, schedule, options.rules), schedule);
    }
    return std::nullopt;
}

} // namespace tilewright::ui
