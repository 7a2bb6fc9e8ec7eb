// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/exact.h"

#include "solve/bound.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>

namespace tilewright {

namespace {

using Mask = std::uint32_t; // bit i: op i of the topological order, or its output

class ExactSearch
{
public:
    ExactSearch(SubgraphPool& pool, const Rules& rules, TilingEffort effort, const ExactLimits& limits)
        : m_pool(pool), m_problem(pool.problem()), m_effort(effort), m_limits(limits),
          m_n(static_cast<int>(m_problem.opCount()))
    {
        const double bandwidth = static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
        m_inputs.assign(static_cast<std::size_t>(m_n), 0);
        for (int i = 0; i < m_n; ++i) {
            const OpId o = m_problem.topologicalOrder()[static_cast<std::size_t>(i)];
            const Op& op = m_problem.op(o);
            m_ops.push_back(o);
            m_compute.push_back(leastCompute(m_problem, rules, o));
            m_store.push_back(static_cast<double>(m_problem.tensor(op.output).elements()) / bandwidth);
            if (m_problem.isGraphOutput(op.output))
                m_outputs |= bit(i);
            for (const TensorId t : op.inputs)
                if (const auto p = m_problem.producer(t))
                    m_inputs[static_cast<std::size_t>(i)] |= bit(static_cast<int>(pool.rank(*p)));
        }
        for (const TensorId t : m_problem.graphInputs()) {
            Mask readers = 0;
            for (const OpId o : m_problem.consumers(t))
                readers |= bit(static_cast<int>(pool.rank(o)));
            m_loads.push_back({readers, static_cast<double>(m_problem.tensor(t).elements()) / bandwidth});
        }
        listSets();
    }

    ExactResult run();

private:
    struct Candidate // an op set that can be a subgraph
    {
        Mask ops, needs, sinks;
        SetId set;
    };
    struct Node
    {
        Mask slow, resident;
        double cost;
        std::uint32_t parent;
        std::uint32_t candidate; ///< into m_sets
        Mask retain;
        bool exact; ///< `cost` includes the exact latency of the last subgraph, not only its bound
        double before;
    };
    struct Queued
    {
        double estimate;
        std::uint32_t node;
        bool operator<(const Queued& o) const
        {
            return estimate != o.estimate ? estimate > o.estimate : node > o.node;
        }
    };

    static Mask bit(int i) { return Mask{1} << i; }
    void listSets();
    [[nodiscard]] double remaining(Mask slow, Mask resident) const;
    [[nodiscard]] RetainId retainId(Mask mask)
    {
        const auto [it, isNew] = m_retainIds.try_emplace(mask, 0);
        if (isNew) {
            std::vector<TensorId> list;
            for (int i = 0; i < m_n; ++i)
                if ((mask & bit(i)) != 0)
                    list.push_back(m_problem.op(m_ops[static_cast<std::size_t>(i)]).output);
            it->second = m_pool.internRetain(std::move(list));
        }
        return it->second;
    }

    SubgraphPool& m_pool;
    const Problem& m_problem;
    TilingEffort m_effort;
    const ExactLimits& m_limits;
    int m_n;
    std::vector<OpId> m_ops;
    std::vector<Mask> m_inputs;
    std::vector<double> m_compute, m_store;
    std::vector<std::pair<Mask, double>> m_loads;
    Mask m_outputs = 0;
    std::vector<Candidate> m_sets;
    std::unordered_map<Mask, RetainId> m_retainIds;
};

void ExactSearch::listSets()
{
    for (Mask s = 1; s < bit(m_n); ++s) {
        Candidate c{s, 0, s, 0};
        std::vector<OpId> ops;
        for (int i = 0; i < m_n; ++i)
            if ((s & bit(i)) != 0) {
                ops.push_back(m_ops[static_cast<std::size_t>(i)]);
                c.needs |= m_inputs[static_cast<std::size_t>(i)];
            }
        c.sinks = s & ~c.needs;
        c.needs &= ~s;
        c.set = m_pool.intern(std::move(ops));
        if (m_pool.set(c.set).connected)
            m_sets.push_back(c);
    }
}

/// What is still to be computed and moved, whatever the schedule: never more than the true rest.
double ExactSearch::remaining(Mask slow, Mask resident) const
{
    Mask missing = m_outputs & ~slow;
    double memory = 0;
    for (Mask m = missing; m != 0; m &= m - 1)
        memory += m_store[static_cast<std::size_t>(std::countr_zero(m))];
    double compute = 0;
    Mask todo = missing;
    Mask all = missing;
    while (todo != 0) {
        const int i = std::countr_zero(todo);
        todo &= todo - 1;
        compute += m_compute[static_cast<std::size_t>(i)];
        const Mask more = m_inputs[static_cast<std::size_t>(i)] & ~slow & ~resident & ~all;
        all |= more;
        todo |= more;
    }
    for (const auto& [readers, time] : m_loads)
        if ((readers & all) != 0)
            memory += time;
    return std::max(compute, memory);
}

ExactResult ExactSearch::run()
{
    ExactResult result;
    result.space = "every order, fusion, recomputation and retention; ";
    result.space += m_effort == TilingEffort::Exhaustive
                        ? "every granularity; raster, snake, column and column-snake traversals"
                        : "granularities at even splits and the capacity limit";
    std::vector<Node> nodes{{0, 0, 0, 0, 0, 0, true, 0}};
    std::priority_queue<Queued> queue;
    queue.push({remaining(0, 0), 0});
    std::unordered_map<std::uint64_t, double> settled;
    const std::int64_t capacity = m_problem.hardware().fastMemoryCapacity;
    while (!queue.empty()) {
        if (!m_limits.keepGoing())
            return result;
        const Queued top = queue.top();
        queue.pop();
        if (top.estimate >= m_limits.upperBound * (1 - 1e-12))
            break;
        if (!nodes[top.node].exact) {
            const Node node = nodes[top.node];
            const Candidate& c = m_sets[node.candidate];
            const std::optional<Tiling> tiling =
                m_pool.provenTiling(c.set, retainId(nodes[node.parent].resident), retainId(node.retain),
                                    m_effort, m_limits.keepGoing);
            if (!tiling)
                return result;
            if (!tiling->feasible())
                continue;
            nodes[top.node].cost = node.before + tiling->latency;
            nodes[top.node].exact = true;
            queue.push({nodes[top.node].cost + remaining(node.slow, node.resident), top.node});
            continue;
        }
        const Node node = nodes[top.node];
        const std::uint64_t key = std::uint64_t{node.slow} << 32 | node.resident;
        if (!settled.emplace(key, node.cost).second)
            continue;
        ++result.states;
        if ((m_outputs & ~node.slow) == 0) {
            Plan plan;
            for (std::uint32_t i = top.node; i != 0; i = nodes[i].parent) {
                const Node& at = nodes[i];
                plan.entries.push_back({m_sets[at.candidate].set, retainId(at.retain),
                                        retainId(nodes[at.parent].resident),
                                        at.cost - nodes[at.parent].cost});
            }
            std::ranges::reverse(plan.entries);
            plan.total = node.cost;
            result.plan = std::move(plan);
            break;
        }
        const RetainId resident = retainId(node.resident);
        for (std::uint32_t i = 0; i < m_sets.size(); ++i) {
            const Candidate& c = m_sets[i];
            if ((c.needs & ~node.slow & ~node.resident) != 0)
                continue;
            // Retained graph outputs never reach slow memory: useless.
            const Mask retainable = c.ops & ~m_outputs;
            for (Mask retain = retainable;; retain = (retain - 1) & retainable) {
                std::int64_t kept = 0;
                for (const TensorId t : m_pool.retain(retainId(retain)))
                    kept += m_problem.tensor(t).elements();
                const Mask slow = node.slow | (c.sinks & ~retain);
                if (kept < capacity && !settled.contains(std::uint64_t{slow} << 32 | retain)) {
                    const double rest = remaining(slow, retain);
                    if (node.cost + rest < m_limits.upperBound) {
                        const double least = m_pool.leastLatency(c.set, resident, retainId(retain));
                        const double estimate = node.cost + least + rest;
                        if (estimate < m_limits.upperBound * (1 - 1e-12)) {
                            nodes.push_back(
                                {slow, retain, node.cost + least, top.node, i, retain, false, node.cost});
                            queue.push({estimate, static_cast<std::uint32_t>(nodes.size() - 1)});
                        }
                    }
                }
                if (retain == 0)
                    break;
            }
            if (nodes.size() > 20'000'000 || !m_limits.keepGoing())
                return result;
        }
    }
    result.finished = true;
    return result;
}

} // namespace

ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, TilingEffort effort,
                         const ExactLimits& limits)
{
    if (pool.problem().opCount() > 16 || !pool.locked().empty())
        return {};
    return ExactSearch(pool, rules, effort, limits).run();
}

} // namespace tilewright
