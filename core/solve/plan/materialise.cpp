// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan/materialise.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

namespace {

double stepCount(const Problem& problem, const Schedule& schedule)
{
    double steps = 0;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        double tiles = 1;
        double depth = 1;
        for (const OpId o : s->ops) {
            const Tensor& out = problem.tensor(problem.op(o).output);
            const auto count = [](std::int64_t extent, std::int64_t part) {
                return static_cast<double>(ceilDiv(extent, std::max<std::int64_t>(part, 1)));
            };
            tiles = std::max(tiles, count(out.height, s->granularity.h) * count(out.width, s->granularity.w));
            depth = std::max(depth, count(problem.reductionSize(o), s->granularity.k));
        }
        steps += tiles * depth;
    }
    return steps;
}

} // namespace

Schedule materialise(SubgraphPool& pool, const Plan& plan, const std::function<bool()>& keepGoing)
{
    Schedule schedule;
    RetainId before = 0;
    for (const PlanEntry& e : plan.entries) {
        const OpSet& set = pool.set(e.set);
        auto subgraph = std::make_shared<Subgraph>();
        if (set.lock >= 0) {
            *subgraph = pool.locked()[static_cast<std::size_t>(set.lock)].subgraph;
            const TraversalKind kind = subgraph->traversal.kind();
            if (kind != TraversalKind::Custom && kind != TraversalKind::Spiral)
                subgraph->traversal = pool.tiling(e.set, before, e.retain, TilingEffort::Quick).traversal;
        } else {
            Tiling tiling = pool.bestTiling(e.set, before, e.retain,
                                            keepGoing() ? TilingEffort::Thorough : TilingEffort::Quick);
            if (keepGoing()) // of equally fast tilings people read the rounder one more easily
                tiling = pool.preferRoundSizes(e.set, before, e.retain, tiling);
            subgraph->ops = set.ops;
            subgraph->granularity = tiling.granularity;
            subgraph->traversal = Traversal(tiling.traversal);
        }
        subgraph->retain = pool.retain(e.retain);
        subgraph->reportedLatency.reset();
        schedule.subgraphs.push_back(std::move(subgraph));
        before = e.retain;
    }
    return schedule;
}

PlanSketch sketchOf(const Schedule& schedule, const std::vector<OpId>& selection)
{
    PlanSketch sketch;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        if (s->ops.empty()) // of a schedule that is being made; it runs nothing
            continue;
        PlanSketch::Part part{s->ops, s->retain, -1, s->granularity};
        const bool chosen = selection.empty() || std::ranges::any_of(s->ops, [&](OpId o) {
                                return std::ranges::find(selection, o) != selection.end();
                            });
        if (s->locked || !chosen) {
            part.lock = static_cast<std::int32_t>(sketch.locked.size());
            sketch.locked.push_back({*s});
        }
        sketch.parts.push_back(std::move(part));
    }
    return sketch;
}

Plan planOf(SubgraphPool& pool, const PlanSketch& sketch)
{
    Plan plan;
    for (const PlanSketch::Part& part : sketch.parts) {
        const SetId set = pool.intern(part.ops, part.lock);
        if (part.lock < 0)
            pool.addHint(set, part.granularity);
        plan.entries.push_back({set, pool.internRetain(part.retain)});
    }
    return plan;
}

std::optional<Checked> checkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     double maxExplainedSteps)
{
    const Evaluation evaluation = stepCount(problem, schedule) <= maxExplainedSteps
                                      ? evaluateByTrace(problem, schedule, rules)
                                      : evaluate(problem, schedule, rules);
    if (!evaluation.valid())
        return std::nullopt;
    Checked checked{evaluation.total, {}};
    for (const SubgraphEvaluation& s : evaluation.subgraphs)
        checked.latencies.push_back(s.latency);
    return checked;
}

} // namespace tilewright
