// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/evaluation.h"

#include "eval/fast.h"
#include "eval/schedule_walk.h"
#include "eval/tally.h"
#include "eval/trace.h"
#include "rules/check.h"

#include <map>
#include <tuple>
#include <utility>

namespace tilewright {

std::string_view boundName(Bound bound)
{
    switch (bound) {
    case Bound::Compute:
        return "compute";
    case Bound::Memory:
        return "memory";
    case Bound::Balanced:
        return "balanced";
    }
    return "";
}

SubgraphEvaluation evaluateSubgraphByTrace(const Problem& problem, const Subgraph& subgraph,
                                           std::span<const TensorId> residentBefore, const Rules& rules)
{
    SubgraphEvaluation out;
    if (!checkFormat(problem, subgraph, {}).empty() || !checkStructure(problem, subgraph, {}, rules).empty())
        return out;
    // Counts of equal steps. They are multiplied (R10.3) so that the rounding error does not grow with the
    // number of steps.
    std::map<std::tuple<double, std::int64_t, std::int64_t>, Tally> kinds;
    std::int64_t peak = 0;
    const MemoryCosts costs(problem.hardware());
    traceSubgraph(problem, subgraph, residentBefore, rules, [&](const Step& step) {
        Tally& kind = kinds[{step.compute, step.loadElements, step.storeElements}];
        if (kind.steps == 0) {
            kind.step(step.compute, step.loadElements, step.storeElements, 0, costs);
            kind.steps = 0;
        }
        ++kind.steps;
        peak = std::max(peak, step.workingSet);
        return true;
    });
    Tally tally{};
    for (auto& [key, kind] : kinds) {
        const std::int64_t count = std::exchange(kind.steps, 1);
        tally.add(kind, count);
    }
    tally.peak = peak;
    tally.finish(out, problem.hardware(), costs);
    const TileGrid grid = tileGrid(problem, subgraph.ops, subgraph.granularity);
    out.rows = grid.rows;
    out.cols = grid.cols;
    out.reserved = reservedElements(problem, residentBefore, subgraph.retain);
    return out;
}

Evaluation evaluateByTrace(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    return walkSchedule(problem, schedule, rules, [&](SubgraphId id, std::span<const TensorId> resident) {
        return evaluateSubgraphByTrace(problem, schedule[id], resident, rules);
    });
}

Evaluation evaluate(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    PlanCompiler compiler(problem, rules);
    SubgraphPlan plan;
    return walkSchedule(problem, schedule, rules, [&](SubgraphId id, std::span<const TensorId> resident) {
        const Subgraph& s = schedule[id];
        compiler.compile(s.ops, plan);
        return evaluate(plan, s.granularity, s.traversal, resident, s.retain);
    });
}

} // namespace tilewright
