// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/retile.h"

#include "rules/check.h"
#include "schedule/grid.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright {

namespace {

/// Budget of one search in op evaluations: a few milliseconds.
constexpr double kMaxOpEvaluations = 6000;

GranularityLimits quickLimits(const SubgraphPlan& plan, const Traversal& traversal, std::size_t share)
{
    const double points =
        kMaxOpEvaluations /
        static_cast<double>(std::max<std::size_t>(share, 1) * std::max<std::size_t>(plan.ops().size(), 1));
    const double perAxis = plan.hasMatMul() ? std::cbrt(points) : std::sqrt(points);
    GranularityLimits limits;
    limits.traversals = {traversal.kind() == TraversalKind::Custom ? Traversal() : traversal};
    limits.jointSizes = static_cast<std::size_t>(std::clamp(perAxis, 3.0, 14.0));
    limits.axisSizes = 3 * limits.jointSizes;
    limits.mostWalkedSteps = 0;
    if (!plan.hasMatMul())
        limits.k = 1; // k has no meaning without a MatMul (R4.2)
    return limits;
}

std::vector<OpId> sortedOps(const Subgraph& s)
{
    std::vector<OpId> ops = s.ops;
    std::sort(ops.begin(), ops.end());
    return ops;
}

} // namespace

std::optional<Granularity> chooseGranularity(const SubgraphPlan& plan, const Granularity& wanted,
                                             const Traversal& traversal, std::span<const TensorId> resident,
                                             std::span<const TensorId> retain, std::size_t share)
{
    const auto best = bestGranularity(plan, resident, retain, quickLimits(plan, traversal, share));
    const SubgraphEvaluation kept = evaluate(plan, wanted, traversal, resident, retain, 0);
    if (kept.structurallyValid && kept.fits &&
        (!best || kept.latency <= best->evaluation.latency * (1 + kNearBest)))
        return wanted;
    return best ? std::optional(best->granularity) : std::nullopt;
}

Schedule retiled(const Problem& problem, const Schedule& before, Schedule after, const Rules& rules)
{
    std::set<std::vector<OpId>> known;
    for (const SubgraphPtr& s : before.subgraphs)
        known.insert(sortedOps(*s));
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < after.size(); ++i)
        if (!after.subgraphs[i]->ops.empty() && !known.contains(sortedOps(*after.subgraphs[i])))
            changed.push_back(i);
    PlanCompiler compiler(problem, rules);
    SubgraphPlan plan;
    for (const std::size_t i : changed) {
        const Subgraph& s = *after.subgraphs[i];
        compiler.compile(s.ops, plan);
        if (plan.staticIssue())
            continue;
        Granularity wanted = s.granularity;
        if (!plan.hasMatMul())
            wanted.k = 1;
        const auto resident = residentBefore(problem, after, rules, SubgraphId(i));
        if (s.locked && evaluate(plan, wanted, s.traversal, resident, s.retain, 0).fits)
            continue;
        const auto g = chooseGranularity(plan, wanted, s.traversal, resident, s.retain, changed.size());
        if (!g || *g == s.granularity)
            continue;
        Subgraph next = s;
        next.granularity = *g;
        if (s.traversal.kind() == TraversalKind::Custom &&
            tileGrid(problem, s.ops, *g) != tileGrid(problem, s.ops, s.granularity))
            next.traversal = TraversalKind::Raster;
        after.subgraphs[i] = std::make_shared<const Subgraph>(std::move(next));
    }
    return after;
}

} // namespace tilewright
