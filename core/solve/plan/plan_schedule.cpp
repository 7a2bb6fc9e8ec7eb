// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan/plan_schedule.h"

namespace tilewright {

Schedule toSchedule(SubgraphPool& pool, const Plan& plan, const std::function<bool()>& keepGoing)
{
    Schedule schedule;
    RetainId before = 0;
    for (const CostedSet& e : plan.entries) {
        const OpSet& set = pool.set(e.set);
        const PlannedSet planned{e.set, std::exchange(before, e.retain), e.retain};
        auto subgraph = std::make_shared<Subgraph>();
        if (set.lock >= 0) {
            *subgraph = pool.locked()[static_cast<std::size_t>(set.lock)].subgraph;
            const TraversalKind kind = subgraph->traversal.kind();
            if (kind != TraversalKind::Custom && kind != TraversalKind::Spiral)
                subgraph->traversal = pool.tiling(planned, TilingEffort::Quick).traversal;
        } else {
            Tiling tiling =
                pool.bestTiling(planned, keepGoing() ? TilingEffort::Thorough : TilingEffort::Quick);
            if (keepGoing()) // of equally fast tilings, round sizes are easier to read
                tiling = pool.preferRoundSizes(planned, tiling);
            subgraph->ops = set.ops;
            subgraph->granularity = tiling.granularity;
            subgraph->traversal = Traversal(tiling.traversal);
        }
        subgraph->retain = pool.retain(e.retain);
        subgraph->reportedLatency.reset();
        schedule.subgraphs.push_back(std::move(subgraph));
    }
    return schedule;
}

StartPlan startPlan(const Schedule& schedule, const std::vector<OpId>& selection)
{
    StartPlan out;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        if (s->ops.empty()) // an unfinished schedule may contain empty subgraphs
            continue;
        PortableSet& set = out.sets.emplace_back(PortableSet{s->ops, {}, s->retain});
        out.granularities.push_back(s->granularity);
        const auto isSelected = [&](OpId o) { return isIn(o, selection); };
        if (s->locked || !(selection.empty() || std::ranges::any_of(s->ops, isSelected))) {
            set.lock = static_cast<std::int32_t>(out.locked.size());
            out.locked.push_back({*s});
        }
    }
    return out;
}

Plan toPlan(SubgraphPool& pool, const StartPlan& start)
{
    Plan plan = toPlan(pool, start.sets);
    for (std::size_t i = 0; i < start.sets.size(); ++i)
        if (start.sets[i].lock < 0)
            pool.addHint(plan.entries[i].set, start.granularities[i]);
    return plan;
}

} // namespace tilewright
