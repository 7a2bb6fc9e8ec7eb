// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/fuse_to_fit.h"

#include "solve/proof/exact.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilewright {

namespace {

constexpr std::size_t kMostGathered = 6; ///< ops, so that one of them fits
constexpr std::size_t kMostTrials = 400; ///< sets

/// The op alone if it fits at some granularity, else with a few of its neighbours, producers first.
std::optional<SetId> fittingSet(SubgraphPool& pool, OpId op, const std::function<bool()>& keepGoing)
{
    const Problem& problem = pool.problem();
    std::vector<SetId> sets{pool.intern({op})};
    for (std::size_t i = 0; i < sets.size() && i < kMostTrials && keepGoing(); ++i) {
        if (std::isfinite(pool.latency(sets[i], 0, 0)))
            return sets[i];
        const OpSet set = pool.set(sets[i]); // the pool grows
        if (set.ops.size() >= kMostGathered)
            continue;
        const auto add = [&](OpId more) {
            std::vector<OpId> ops = set.ops;
            ops.push_back(more);
            if (const SetId next = pool.intern(std::move(ops)); std::ranges::find(sets, next) == sets.end())
                sets.push_back(next);
        };
        for (const TensorId t : set.inputs)
            add(*problem.producer(t));
        for (const TensorId t : set.sinks)
            for (const OpId consumer : problem.consumers(t))
                add(consumer);
    }
    return std::nullopt;
}

} // namespace

bool fuseToFit(SubgraphPool& pool, Plan& plan, std::size_t exactNodes, const std::function<bool()>& keepGoing)
{
    Plan fused;
    bool all = true;
    for (const PlanEntry& e : plan.entries) {
        const OpSet& set = pool.set(e.set);
        const std::optional<SetId> fitting = set.lock >= 0 || set.ops.size() != 1
                                                 ? std::optional(e.set)
                                                 : fittingSet(pool, set.ops.front(), keepGoing);
        all &= fitting.has_value();
        if (fitting)
            fused.entries.push_back({*fitting, e.retain});
    }
    if (all && PlanSettler(pool).settle(fused)) {
        plan = std::move(fused);
        return true;
    }
    if (exactNodes == 0)
        return false;
    ExactLimits limits;
    limits.keepGoing = keepGoing;
    limits.maxNodes = exactNodes;
    // With inputs that are kept (R9.7) only after all else.
    for (const TilingEffort effort : {TilingEffort::Quick, TilingEffort::Exhaustive}) {
        const ExactResult exact =
            solveExactly(pool, pool.rules(), wholeProblem(pool.problem()), effort, limits);
        if (exact.entries) {
            plan = {*exact.entries, exact.total};
            return true;
        }
    }
    return false;
}

} // namespace tilewright
