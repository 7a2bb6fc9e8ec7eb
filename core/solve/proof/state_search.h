// SPDX-License-Identifier: GPL-3.0-or-later
// Sets of ops as bits of a graph, and A* over the states of plans.
#pragma once

#include "solve/plan/plan.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// A set of ops, or of their results: bit i stands for op i of a ProofGraph.
using OpMask = std::uint64_t;

/// Dependencies among at most 64 ops of a problem, as bit masks.
struct ProofGraph
{
    /// The ops have to be in topological order.
    ProofGraph(const Problem& problem, std::vector<OpId> ops);

    static constexpr std::size_t kMostOps = 64;
    [[nodiscard]] static constexpr OpMask bit(std::size_t i) { return OpMask{1} << i; }
    [[nodiscard]] std::size_t size() const noexcept { return ops.size(); }
    [[nodiscard]] TensorId output(std::size_t i) const { return problem.op(ops[i]).output; }
    /// Returns the mask of those tensors that ops of this graph produce.
    [[nodiscard]] OpMask maskOf(const std::vector<TensorId>& tensors) const;
    [[nodiscard]] std::vector<OpId> opsOf(OpMask mask) const;
    [[nodiscard]] std::vector<TensorId> outputsOf(OpMask mask) const;
    [[nodiscard]] std::int64_t elementsOf(OpMask mask) const;
    [[nodiscard]] OpMask neededBy(OpMask set) const; ///< producers of the set's boundary inputs (R3.1)
    [[nodiscard]] OpMask basesOf(OpMask set) const;
    [[nodiscard]] OpMask sinksOf(OpMask set) const; ///< results that no op of the set reads

    /// Calls visit(i) for every op that must still run. These are the ops in `run`, the ops whose results
    /// must be written to slow memory (`write`), and the producers of the missing inputs of all these ops. An
    /// input is not missing if it is in slow memory, or if it is resident and not read through a view.
    /// Returns the results that must be written to slow memory: `write` and the missing inputs that are read
    /// through views.
    template <class Visit>
    OpMask forEachMissing(OpMask write, OpMask run, OpMask slow, OpMask resident, Visit&& visit) const;
    /// Returns the bit of the op that produces a tensor; 0 if none of these ops does.
    [[nodiscard]] OpMask producerOf(TensorId t) const;

    const Problem& problem;
    std::vector<OpId> ops;
    std::vector<OpMask> inputs;  ///< for each op, the ops of this graph whose results it reads
    std::vector<OpMask> readers; ///< for each op, the ops that read its result
    /// For each op, the ops whose results it reads through views, and therefore from slow memory (R1.7).
    std::vector<OpMask> bases;
    OpMask outputs = 0; ///< ops that produce graph outputs

private:
    /// For each op of the problem, its bit; 64 if it is not in this graph.
    std::vector<std::uint8_t> m_place;
};

[[nodiscard]] inline std::size_t lowestBit(OpMask mask)
{
    return static_cast<std::size_t>(std::countr_zero(mask));
}

/// Calls visit(i) for every set bit i.
template <class Visit> void forEachBit(OpMask mask, Visit&& visit)
{
    for (; mask != 0; mask &= mask - 1)
        visit(lowestBit(mask));
}

template <class Visit>
OpMask ProofGraph::forEachMissing(OpMask write, OpMask run, OpMask slow, OpMask resident, Visit&& visit) const
{
    OpMask written = write & ~slow;
    OpMask all = written | run;
    for (OpMask todo = all; todo != 0;) {
        const std::size_t i = lowestBit(todo);
        todo &= todo - 1;
        visit(i);
        const OpMask missing = bases[i] & ~slow;
        written |= missing;
        const OpMask more = (missing | (inputs[i] & ~slow & ~resident)) & ~all;
        all |= more;
        todo |= more;
    }
    return written;
}

/// A* for the plan with the least latency. The plan is a shortest path whose nodes are the states of R3
/// (tensors in slow memory, tensors in fast memory) and whose steps are subgraphs. The latency of a step is
/// first a lower bound; the exact latency is computed only when the step is the best open one. A derived
/// class defines the steps and the lower bound of the remaining latency.
class StateSearch
{
public:
    struct Limits
    {
        std::function<bool()> keepGoing; ///< polled often; the search ends when it returns false
        /// Only plans below this latency are searched.
        double upperBound = std::numeric_limits<double>::infinity();
        std::size_t maxNodes = 20'000'000;   ///< maximum number of nodes, about 150 bytes each
        std::function<void(double)> onBound; ///< called when the lower bound has increased
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
        double cost;    ///< cost including the last subgraph; a lower bound unless `exact`
        double reduced; ///< sum of the reduced costs on the path, if known
        std::uint32_t parent;
        std::uint32_t choice; ///< index of the last subgraph in the list of the derived class
        bool exact;
    };
    struct Outcome
    {
        bool finished = false; ///< true if it is proven that no plan is better than the plan of `goal`
        /// Last node of the best plan; nothing if no plan is below the upper bound.
        std::optional<std::uint32_t> goal;
        double bound = 0;        ///< lower bound of all plans, at most the upper bound
        std::int64_t states = 0; ///< number of expanded states
    };

    /// `start`: tensors resident in the first state.
    StateSearch(SubgraphPool& pool, const Limits& limits, RetainId start)
        : m_pool(pool), m_limits(limits), m_limit(limits.upperBound * (1 - 1e-12)), m_start(start)
    {
    }
    ~StateSearch() = default;

    [[nodiscard]] Outcome search(const State& start);
    /// Lower bound of the cost of a plan from a state to the end.
    [[nodiscard]] virtual double remaining(const State& state) const = 0;
    [[nodiscard]] virtual bool isGoal(std::uint32_t node) const = 0;
    /// Calls open() for every step from a node. Returns false to stop the search.
    [[nodiscard]] virtual bool expand(std::uint32_t node) = 0;
    [[nodiscard]] virtual SetId setOf(std::uint32_t choice) const = 0;
    [[nodiscard]] virtual std::vector<TensorId> tensorsOf(OpMask mask) const = 0;
    /// Returns the exact latency of a subgraph, or a lower bound that is at least `cutoff`. Returns nothing
    /// if the latency cannot be computed.
    [[nodiscard]] virtual std::optional<double> latency(const PlannedSet& p, double cutoff)
    {
        return m_pool.provenLatency(p, cutoff, m_limits.keepGoing);
    }

    /// Returns remaining(next), or infinity if no better plan reaches this state at this cost.
    [[nodiscard]] double remainingBelowLimit(const State& next, double cost) const;
    /// Adds the node of a step unless it cannot lead to a better plan.
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
    double m_limit; ///< plans must have a lower cost than this

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
    /// True if the state was reached before at the same or a lower cost; otherwise this cost is stored.
    [[nodiscard]] bool isBeaten(const State& state, double cost);
    /// Replaces the lower bound in the cost of a node by the exact latency. Returns false if this is not
    /// possible.
    [[nodiscard]] bool computeExactLatency(std::uint32_t at);

    RetainId m_start;
    std::vector<Node> m_nodes;
    std::priority_queue<Queued> m_queue;
    std::unordered_map<State, double, StateHash> m_best; ///< exact cost of each reached state
    std::unordered_map<OpMask, RetainId> m_retainIds;
};

} // namespace tilewright
