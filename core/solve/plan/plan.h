// SPDX-License-Identifier: GPL-3.0-or-later
// Plans, and their conversion from and to schedules.
#pragma once

#include "base/random.h"
#include "solve/cost/op_lists.h"
#include "solve/cost/subgraph_pool.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace tilewright {

/// A subgraph of a plan, or a column of the master problem, with its latency.
struct CostedSet : PlannedSet
{
    double latency = std::numeric_limits<double>::quiet_NaN(); ///< NaN if not computed yet
    bool refined = false; ///< true if `latency` belongs to the tiling of a thorough search
    void clearLatency() noexcept { latency = std::numeric_limits<double>::quiet_NaN(); }
    [[nodiscard]] bool hasLatency() const noexcept { return !std::isnan(latency); }
};

/// A schedule in the form of the solver: the sets of ops in execution order and the tensors retained between
/// them. The pool supplies the tiling of each set.
struct Plan
{
    /// The tensors that an entry retains are resident in the next entry. The latency of an entry is valid
    /// only while the previous entry retains exactly the tensors in `resident`.
    std::vector<CostedSet> entries;
    double total = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool feasible() const noexcept { return total < std::numeric_limits<double>::infinity(); }
    /// Sets `total` to the sum of the latencies. They are added in the order of the entries, so that equal
    /// plans have bit-equal totals.
    void addUp()
    {
        total = 0;
        for (const CostedSet& e : entries)
            total += e.latency;
    }
};

/// A plan that does not contain ids of a pool, for the exchange between pools.
using PortablePlan = std::vector<PortableSet>;
[[nodiscard]] PortablePlan portable(const SubgraphPool& pool, const Plan& plan);
/// Converts the plan to ids of this pool. PlanRepair still has to make it valid and to compute latencies.
[[nodiscard]] Plan toPlan(SubgraphPool& pool, const PortablePlan& sets);

/// Tensors that `from` can retain in fast memory for `to`, ascending.
[[nodiscard]] std::vector<TensorId> handedOver(const OpSet& from, const OpSet& to);
/// Returns a random operand of the op, or its result.
[[nodiscard]] TensorId randomTensorOf(const Op& op, RandomGenerator& random);
/// True if `f` is true for every op result that the subgraph reads from slow memory.
template <class F> bool allReads(const SubgraphPool& pool, const PlannedSet& p, F&& f)
{
    const std::vector<TensorId>& resident = pool.retain(p.resident);
    const OpSet& set = pool.set(p.set);
    return std::ranges::all_of(set.inputs,
                               [&](TensorId t) { return (p.resident != 0 && isIn(t, resident)) || f(t); }) &&
           // bases of views are read from slow memory even if they are resident (R1.7)
           std::ranges::all_of(set.bases, f);
}
/// Calls `f` for every tensor that the subgraph stores in slow memory.
template <class F> void forEachStored(const SubgraphPool& pool, const PlannedSet& p, F&& f)
{
    const std::vector<TensorId>& retained = pool.retain(p.retain);
    for (const TensorId t : pool.set(p.set).sinks)
        if (p.retain == 0 || !isIn(t, retained))
            f(t);
}

/// Turns a list of op sets into a valid plan: removes executions without effect, splits sets that are not
/// connected, sorts by dependencies, keeps only retained tensors that the next subgraph reads, and sums the
/// latency.
class PlanRepair
{
public:
    explicit PlanRepair(SubgraphPool& pool);

    /// Makes the plan valid. Returns false if no order is valid (R3.2, R3.6) or some subgraph fits with no
    /// tiling. Also returns false as soon as the total is certain to exceed `limit`.
    [[nodiscard]] bool makeValid(Plan& plan, double limit = std::numeric_limits<double>::infinity());

    /// Returns the plan that runs each op alone, in topological order.
    [[nodiscard]] Plan singles();

private:
    [[nodiscard]] bool prune(std::vector<CostedSet>& entries);
    void filterRetains(std::vector<CostedSet>& entries);
    [[nodiscard]] bool isKept(const std::vector<CostedSet>& entries, std::size_t at, TensorId t) const;
    [[nodiscard]] bool inOrder(const std::vector<CostedSet>& entries);
    [[nodiscard]] bool reorder(std::vector<CostedSet>& entries);
    /// Sum of the cached latencies: a lower bound of the total of the plan in any order.
    [[nodiscard]] double knownCost(const std::vector<CostedSet>& entries) const;
    [[nodiscard]] bool cost(Plan& plan, double limit);

    SubgraphPool& m_pool;
    std::uint32_t m_stamp = 0;
    /// For each tensor, the value of m_stamp in the last pass that found it read (m_needed) or stored
    /// (m_stored).
    std::vector<std::uint32_t> m_needed, m_stored;
    std::vector<std::int32_t> m_provider; ///< for each tensor, the entry that stores it
    std::vector<char> m_graphOutput;
    std::vector<CostedSet> m_scratch;
    std::vector<OpId> m_ops;
    std::vector<std::vector<OpId>> m_parts;
    std::vector<std::uint32_t> m_block, m_blockStart, m_waiting, m_ready;
    struct Edge
    {
        std::uint32_t to;
        std::int32_t next; ///< index of the next edge with the same start, or -1
    };
    std::vector<Edge> m_edges;
    std::vector<std::int32_t> m_firstEdge; ///< for each block of reorder(), the index of its first edge
};

/// Returns the schedule of a plan with the best known tilings. While `keepGoing` returns true, thorough
/// searches try to find better tilings.
[[nodiscard]] Schedule toSchedule(SubgraphPool& pool, const Plan& plan,
                                  const std::function<bool()>& keepGoing);

/// The given schedule (SolveOptions::start) as a plan, from which a search begins.
struct StartPlan
{
    PortablePlan sets;
    /// Granularity of each set. Searches for tilings evaluate it in addition to their own candidates.
    std::vector<Granularity> granularities;
    std::vector<LockedSubgraph> locked; ///< locked subgraphs; PortableSet::lock is an index into them
};
/// Converts a schedule to the start plan of a search. Locked subgraphs, and with a non-empty `selection` all
/// subgraphs that run no selected op, are locked in the plan.
[[nodiscard]] StartPlan startPlan(const Schedule& schedule, const std::vector<OpId>& selection);
/// Converts the start plan to ids of this pool, and adds its granularities to the pool
/// (SubgraphPool::addHint()).
[[nodiscard]] Plan toPlan(SubgraphPool& pool, const StartPlan& start);

} // namespace tilewright
