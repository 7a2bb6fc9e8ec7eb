// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost/subgraph_pool.h"

#include <limits>
#include <vector>

namespace tilewright {

/// One subgraph of a plan. `latency` is NaN until it is costed.
struct PlanEntry
{
    SetId set = 0;
    RetainId retain = 0;
    RetainId resident = 0; ///< what `latency` was computed for
    double latency = std::numeric_limits<double>::quiet_NaN();
    bool refined = false; ///< `latency` is of the thorough search
};

/// A schedule as the search sees it: op sets in order of execution and what is retained between them; the
/// tiling of each follows from the pool.
struct Plan
{
    std::vector<PlanEntry> entries;
    double total = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool feasible() const noexcept { return total < std::numeric_limits<double>::infinity(); }
};

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
    [[nodiscard]] bool prune(std::vector<PlanEntry>& entries);
    void filterRetains(std::vector<PlanEntry>& entries);
    [[nodiscard]] bool inOrder(const std::vector<PlanEntry>& entries);
    [[nodiscard]] bool reorder(std::vector<PlanEntry>& entries);
    /// What is known of the total without searching: never more than it, for any order.
    [[nodiscard]] double knownCost(const std::vector<PlanEntry>& entries) const;
    [[nodiscard]] bool cost(Plan& plan, double limit);

    SubgraphPool& m_pool;
    std::uint32_t m_stamp = 0;
    std::vector<std::uint32_t> m_needed, m_stored; ///< by tensor
    std::vector<std::int32_t> m_provider;          ///< by tensor: entry that stores it
    std::vector<char> m_graphOutput;
    std::vector<PlanEntry> m_scratch;
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
