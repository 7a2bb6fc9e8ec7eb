// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"
#include "solve/proof/proof_graph.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// A* for the plan of least latency: a shortest path over the states (what is in slow memory, what is in fast
/// memory) of R3, whose steps are subgraphs.
///
/// A step is first known by a lower bound of its latency; the exact one is computed only when it is the best
/// open step. A derived class says which steps there are and what remains at least behind a state.
class StateSearch
{
public:
    struct Limits
    {
        std::function<bool()> keepGoing;                             ///< asked often
        double upperBound = std::numeric_limits<double>::infinity(); ///< only better plans are looked for
        std::size_t maxNodes = 20'000'000;                           ///< about 150 bytes each
        std::function<void(double)> onBound;                         ///< called when the bound has risen
    };

protected:
    struct State
    {
        OpMask slow = 0, resident = 0;
        bool operator==(const State&) const = default;
    };
    struct Node
    {
        State state;
        double before;  ///< cost before the last subgraph
        double cost;    ///< with it; a lower bound unless `exact`
        double reduced; ///< sum of the reduced costs on the way, where they are known
        std::uint32_t parent;
        std::uint32_t choice; ///< number of the last subgraph in the derived class
        bool exact;
    };
    struct Outcome
    {
        bool finished = false;             ///< there is no better plan than that of `goal`
        std::optional<std::uint32_t> goal; ///< the last node of the best plan; none beats the upper bound
        double bound = 0;                  ///< no plan costs less, or the upper bound is none
        std::int64_t states = 0;           ///< expanded
    };

    /// `start`: what is resident in the first state.
    StateSearch(SubgraphPool& pool, const Limits& limits, RetainId start)
        : m_pool(pool), m_limits(limits), m_limit(limits.upperBound * (1 - 1e-12)), m_start(start)
    {
    }
    ~StateSearch() = default;

    [[nodiscard]] Outcome search(const State& start);
    /// What a plan costs at least from a state on.
    [[nodiscard]] virtual double remaining(const State& state) const = 0;
    [[nodiscard]] virtual bool isGoal(std::uint32_t node) const = 0;
    /// Calls open() for every step from a node. False to stop the search.
    [[nodiscard]] virtual bool expand(std::uint32_t node) = 0;
    [[nodiscard]] virtual SetId setOf(std::uint32_t choice) const = 0;
    [[nodiscard]] virtual std::vector<TensorId> tensorsOf(OpMask mask) const = 0;
    /// Exact latency of a subgraph, or `cutoff` or more; nothing when it cannot be found.
    [[nodiscard]] virtual std::optional<double> latency(const PlannedSet& p, double cutoff)
    {
        return m_pool.provenLatency(p, cutoff, m_limits.keepGoing);
    }

    /// remaining(next), infinite when reaching it at this cost cannot give a better plan.
    [[nodiscard]] double remainingBelowLimit(const State& next, double cost) const;
    /// Adds the node of a step, unless it cannot give a better plan.
    void open(const Node& node, double remaining);
    [[nodiscard]] const Node& node(std::uint32_t i) const { return m_nodes[i]; }
    [[nodiscard]] bool hasTooManyNodes() const { return m_nodes.size() > m_limits.maxNodes; }
    [[nodiscard]] RetainId retainId(OpMask mask);
    [[nodiscard]] RetainId residentAt(std::uint32_t node)
    {
        return node == 0 ? m_start : retainId(m_nodes[node].state.resident);
    }
    [[nodiscard]] std::vector<CostedSet> entriesTo(std::uint32_t last);

    SubgraphPool& m_pool;
    const Limits& m_limits;
    double m_limit; ///< of the cost of plans that are looked for

private:
    struct Queued
    {
        double estimate;
        std::uint32_t node;
        bool operator<(const Queued& o) const
        {
            return estimate != o.estimate ? estimate > o.estimate : node > o.node;
        }
    };
    struct StateHash
    {
        std::size_t operator()(const State& s) const noexcept { return hashOf(s.slow, s.resident); }
    };
    /// Whether the state has been reached as cheaply by another way; if not, this cost is remembered.
    [[nodiscard]] bool isBeaten(const State& state, double cost);
    /// Makes the cost of a node exact. False when that is not possible.
    [[nodiscard]] bool settle(std::uint32_t at);

    RetainId m_start;
    std::vector<Node> m_nodes;
    std::priority_queue<Queued> m_queue;
    std::unordered_map<State, double, StateHash> m_best; ///< exact costs
    std::unordered_map<OpMask, RetainId> m_retainIds;
};

} // namespace tilewright
