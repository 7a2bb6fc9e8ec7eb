// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/first_plan.h"

#include "solve/proof/exact.h"

#include <optional>
#include <queue>

namespace tilewright {

namespace {

constexpr std::size_t kMaxFusedOps = 6;    ///< maximum number of ops that are fused so that one of them fits
constexpr std::size_t kMaxTriedSets = 400; ///< maximum number of op sets that are tried

/// Returns the op alone if it fits at some granularity, else the op fused with a few neighbours, producers
/// first.
std::optional<SetId> fittingSet(SubgraphPool& pool, OpId op, const std::function<bool()>& keepGoing)
{
    const Problem& problem = pool.problem();
    std::vector<SetId> sets{pool.intern({op})};
    for (std::size_t i = 0; i < sets.size() && i < kMaxTriedSets && keepGoing(); ++i) {
        if (std::isfinite(pool.latency({sets[i]})))
            return sets[i];
        const OpSet set = pool.set(sets[i]); // a copy, because references become invalid when the pool grows
        if (set.ops.size() >= kMaxFusedOps)
            continue;
        const auto add = [&](OpId more) {
            if (const SetId next = pool.intern(united(set.ops, {more})); !isIn(next, sets))
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

Plan fuseGreedily(SubgraphPool& pool, Plan plan, const std::function<bool()>& keepGoing)
{
    PlanRepair repair(pool);
    if (!repair.makeValid(plan))
        return plan;
    struct Candidate
    {
        double gain;
        SetId a, b;
        bool operator<(const Candidate& other) const
        {
            return gain != other.gain ? gain < other.gain : std::pair(a, b) > std::pair(other.a, other.b);
        }
    };
    std::priority_queue<Candidate> queue;
    const auto fused = [&](SetId a, SetId b) {
        return pool.intern(united(pool.set(a).ops, pool.set(b).ops));
    };
    const auto touch = [&](SetId a, SetId b) {
        const OpSet& one = pool.set(a);
        const OpSet& other = pool.set(b);
        const auto has = [&](TensorId t) {
            return std::ranges::binary_search(other.allInputs, t) ||
                   std::ranges::binary_search(other.produced, t);
        };
        return std::ranges::any_of(one.allInputs, has) || std::ranges::any_of(one.produced, has);
    };
    /// Queues each fusion of set `a` with another set of the plan that reduces the latency. If `any` is
    /// false, sets with smaller ids are skipped.
    const auto consider = [&](SetId a, bool any) {
        for (const CostedSet& e : plan.entries) {
            if (!keepGoing())
                return;
            const SetId b = e.set;
            if (a == b || (!any && b < a) || pool.set(a).lock >= 0 || pool.set(b).lock >= 0 || !touch(a, b))
                continue;
            const SetId both = fused(a, b);
            const double gain = pool.latency({a}) + pool.latency({b}) - pool.latency({both});
            if (gain > 0)
                queue.push({gain, a, b});
        }
    };
    for (std::size_t i = 0; i < plan.entries.size() && keepGoing(); ++i)
        consider(plan.entries[i].set, false);
    while (!queue.empty() && keepGoing()) {
        const Candidate c = queue.top();
        queue.pop();
        const auto ia = std::ranges::find(plan.entries, c.a, &PlannedSet::set) - plan.entries.begin();
        const auto ib = std::ranges::find(plan.entries, c.b, &PlannedSet::set) - plan.entries.begin();
        const auto n = static_cast<std::ptrdiff_t>(plan.entries.size());
        if (ia == n || ib == n)
            continue;
        Plan next = plan;
        const SetId both = fused(c.a, c.b);
        next.entries[static_cast<std::size_t>(std::max(ia, ib))] = {{both}};
        next.entries.erase(next.entries.begin() + std::min(ia, ib));
        if (!repair.makeValid(next, plan.total))
            continue;
        plan = std::move(next);
        consider(both, true);
    }
    return plan;
}

bool fuseToFit(SubgraphPool& pool, Plan& plan, std::size_t exactNodes, const std::function<bool()>& keepGoing)
{
    Plan fused;
    bool all = true;
    for (const CostedSet& e : plan.entries) {
        const OpSet& set = pool.set(e.set);
        const std::optional<SetId> fitting = set.lock >= 0 || set.ops.size() != 1
                                                 ? std::optional(e.set)
                                                 : fittingSet(pool, set.ops.front(), keepGoing);
        all &= fitting.has_value();
        if (fitting)
            fused.entries.push_back({{*fitting, 0, e.retain}});
    }
    if (all && PlanRepair(pool).makeValid(fused)) {
        plan = std::move(fused);
        return true;
    }
    if (exactNodes == 0)
        return false;
    ExactLimits limits;
    limits.keepGoing = keepGoing;
    limits.maxNodes = exactNodes;
    // An exhaustive search for tilings, which also considers inputs kept in fast memory (R9.7), runs only if
    // no quick tiling fits.
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
