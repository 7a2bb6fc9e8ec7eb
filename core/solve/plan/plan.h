// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/cost/op_lists.h"
#include "solve/cost/subgraph_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tilewright {

/// A subgraph of a plan, or a column of the master problem, with its latency.
struct CostedSet : PlannedSet
{
    double latency = std::numeric_limits<double>::quiet_NaN(); ///< NaN until it is costed
    bool refined = false; ///< `latency` is that of the thorough search for a tiling
    void uncost() noexcept { latency = std::numeric_limits<double>::quiet_NaN(); }
    [[nodiscard]] bool isCosted() const noexcept { return !std::isnan(latency); }
};

/// A schedule as the search sees it: sets of ops in order of execution and what is retained between them. The
/// tiling of each follows from the pool.
struct Plan
{
    /// The `resident` of each is what its latency was computed for; the list that the entry before retains
    /// counts.
    std::vector<CostedSet> entries;
    double total = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool feasible() const noexcept { return total < std::numeric_limits<double>::infinity(); }
    /// Makes `total` the sum of the latencies, added in order, so that equal plans have equal totals.
    void addUp()
    {
        total = 0;
        for (const CostedSet& e : entries)
            total += e.latency;
    }
};

/// A plan that does not refer to a pool.
using PortablePlan = std::vector<PortableSet>;
[[nodiscard]] PortablePlan portable(const SubgraphPool& pool, const Plan& plan);
/// The plan in this pool, neither settled nor costed.
[[nodiscard]] Plan toPlan(SubgraphPool& pool, const PortablePlan& sets);

/// Tensors that `from` can hand over to `to` in fast memory, ascending.
[[nodiscard]] std::vector<TensorId> handedOver(const OpSet& from, const OpSet& to);
/// One of the tensors that the op reads or makes.
[[nodiscard]] TensorId randomTensorOf(const Op& op, RandomGenerator& random);
/// Whether `f` is true for every tensor of other ops that the subgraph reads from slow memory.
template <class F> bool allReads(const SubgraphPool& pool, const PlannedSet& p, F&& f)
{
    const std::vector<TensorId>& resident = pool.retain(p.resident);
    const OpSet& set = pool.set(p.set);
    return std::ranges::all_of(set.inputs,
                               [&](TensorId t) { return (p.resident != 0 && isIn(t, resident)) || f(t); }) &&
           std::ranges::all_of(set.bases, f); // what is resident is not enough (R1.7)
}
/// Calls `f` with every tensor that the subgraph stores in slow memory.
template <class F> void forEachStored(const SubgraphPool& pool, const PlannedSet& p, F&& f)
{
    const std::vector<TensorId>& retained = pool.retain(p.retain);
    for (const TensorId t : pool.set(p.set).sinks)
        if (p.retain == 0 || !isIn(t, retained))
            f(t);
}

/// Turns a list of op sets into a valid plan: drops executions nobody needs, splits what is not connected,
/// orders by dependencies, keeps only retained tensors that the next subgraph reads, and sums the latency.
class PlanSettler
{
public:
    explicit PlanSettler(SubgraphPool& pool);

    /// False when no order is valid (R3.2, R3.6) or some subgraph fits at no tiling. Gives up, also with
    /// false, as soon as the total is certain to exceed `limit`.
    [[nodiscard]] bool settle(Plan& plan, double limit = std::numeric_limits<double>::infinity());

    /// Each op alone, in topological order.
    [[nodiscard]] Plan singles();

private:
    [[nodiscard]] bool prune(std::vector<CostedSet>& entries);
    void filterRetains(std::vector<CostedSet>& entries);
    [[nodiscard]] bool inOrder(const std::vector<CostedSet>& entries);
    [[nodiscard]] bool reorder(std::vector<CostedSet>& entries);
    /// Sum of the latencies that are remembered: at most the total of the plan, in any order.
    [[nodiscard]] double knownCost(const std::vector<CostedSet>& entries) const;
    [[nodiscard]] bool cost(Plan& plan, double limit);

    SubgraphPool& m_pool;
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_needed, m_stored; ///< by tensor
    std::vector<std::int32_t> m_provider;          ///< by tensor: the entry that stores it
    std::vector<char> m_graphOutput;
    std::vector<CostedSet> m_scratch;
    std::vector<OpId> m_ops;
    std::vector<std::vector<OpId>> m_parts;
    std::vector<std::uint32_t> m_block, m_blockStart, m_waiting, m_ready;
    struct Edge
    {
        std::uint32_t to;
        std::int32_t next; ///< of the same block, or -1
    };
    std::vector<Edge> m_edges;
    std::vector<std::int32_t> m_firstEdge; ///< by block
};

} // namespace tilewright
