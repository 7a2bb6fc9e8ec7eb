// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/exact.h"

#include "eval/cost.h"
#include "eval/traffic_bound.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace tilewright {

namespace {

/// Bit i: op i of the topological order, or its output; the bits behind them: inputs that may be retained.
using Mask = std::uint32_t;
constexpr std::size_t kBits = 32;
constexpr const char* kEveryPlan = "every order, fusion, recomputation and retention";
constexpr const char* kEveryTiling = "every granularity; raster, snake, column and column-snake traversals";

class ExactSearch
{
public:
    ExactSearch(SubgraphPool& pool, const Rules& rules, const ExactWindow& window, TilingEffort effort,
                const ExactLimits& limits);
    ExactResult run();

private:
    struct Candidate // an op set that can be a subgraph
    {
        Mask ops, needs, sinks;
        Mask bases;         ///< read through views: in slow memory before it, whoever computes them (R1.7)
        Mask retainable;    ///< worth retaining: read by some op of the window, or resident after it; inputs
        bool needsResident; ///< reads what only residentBefore holds: first in the window or never
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
    static std::uint64_t stateOf(Mask slow, Mask resident) { return std::uint64_t{slow} << 32 | resident; }
    [[nodiscard]] TensorId tensorOf(int i) const
    {
        const auto index = static_cast<std::size_t>(i);
        return i < m_n ? m_problem.op(m_ops[index]).output : m_inputTensors[index - m_ops.size()];
    }
    [[nodiscard]] bool canRetain(Mask retain) const;
    void listInputs();
    [[nodiscard]] Mask maskOf(const std::vector<TensorId>& tensors) const;
    void listSets();
    [[nodiscard]] double remaining(Mask slow, Mask resident) const;
    [[nodiscard]] std::optional<double> latency(SetId set, RetainId resident, RetainId retain, double cutoff);
    [[nodiscard]] RetainId residentOf(std::uint32_t node, Mask mask)
    {
        return node == 0 ? m_window.residentBefore : retainId(mask);
    }
    [[nodiscard]] RetainId retainId(Mask mask)
    {
        const auto [it, isNew] = m_retainIds.try_emplace(mask, 0);
        if (isNew) {
            std::vector<TensorId> list;
            for (Mask m = mask; m != 0; m &= m - 1)
                list.push_back(tensorOf(std::countr_zero(m)));
            it->second = m_pool.internRetain(std::move(list));
        }
        return it->second;
    }

    SubgraphPool& m_pool;
    const Problem& m_problem;
    const ExactWindow& m_window;
    TilingEffort m_effort;
    const ExactLimits& m_limits;
    int m_n;
    bool m_keepsInputs; ///< R9.7 is looked at, too
    bool m_tooMany = false;
    std::vector<OpId> m_ops;
    std::vector<TensorId> m_inputTensors; ///< that may be kept: bits behind those of the ops
    IdVector<OpId, std::int32_t> m_local;
    std::vector<Mask> m_inputs, m_bases;
    std::vector<char> m_usesResident, m_possible;
    std::vector<double> m_compute, m_store;
    std::vector<std::int64_t> m_elements; ///< of the outputs
    struct Load
    {
        TensorId tensor;
        Mask readers;
        double time;
        Mask kept; ///< its bit, where it may be
    };
    std::vector<Load> m_loads;
    Mask m_required = 0, m_slowBefore = 0, m_after = 0, m_read = 0;
    std::vector<Candidate> m_sets;
    std::unordered_map<Mask, RetainId> m_retainIds;
};

ExactSearch::ExactSearch(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                         TilingEffort effort, const ExactLimits& limits)
    : m_pool(pool), m_problem(pool.problem()), m_window(window), m_effort(effort), m_limits(limits),
      m_n(static_cast<int>(window.ops.size())),
      m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow && effort == TilingEffort::Exhaustive),
      m_ops(window.ops), m_local(m_problem.opCount(), -1), m_inputs(window.ops.size()),
      m_bases(window.ops.size()), m_usesResident(window.ops.size()), m_possible(window.ops.size(), 1)
{
    const MemoryCosts memory(m_problem.hardware());
    for (int i = 0; i < m_n; ++i)
        m_local[m_ops[static_cast<std::size_t>(i)]] = i;
    m_required = maskOf(window.required);
    m_after = maskOf(pool.retain(window.residentAfter));
    const std::vector<TensorId>& residentBefore = pool.retain(window.residentBefore);
    for (int i = 0; i < m_n; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const Op& op = m_problem.op(m_ops[index]);
        m_compute.push_back(leastCompute(m_problem, rules, m_ops[index]));
        m_elements.push_back(m_problem.tensor(op.output).elements());
        m_store.push_back(memory.time(0, m_elements.back()));
        if (window.slowBefore[op.output.index()] != 0)
            m_slowBefore |= bit(i);
        for (const TensorId t : op.inputs) {
            for (const TensorId base : m_problem.bases(t)) {
                const auto producer = m_problem.producer(base);
                if (producer && m_local[*producer] >= 0)
                    m_bases[index] |= bit(m_local[*producer]);
                else if (producer && window.slowBefore[base.index()] == 0)
                    m_possible[index] = 0;
            }
            const auto producer = m_problem.producer(t);
            if (producer && m_local[*producer] >= 0) {
                m_inputs[index] |= bit(m_local[*producer]);
                m_read |= bit(m_local[*producer]);
                continue;
            }
            const bool resident = std::ranges::find(residentBefore, t) != residentBefore.end();
            if (producer && window.slowBefore[t.index()] == 0) {
                m_usesResident[index] = 1;
                m_possible[index] &= resident ? 1 : 0;
            }
            if (resident)
                continue;
            auto it = std::ranges::find(m_loads, t, &Load::tensor);
            if (it == m_loads.end())
                it = m_loads.insert(m_loads.end(), {t, 0, memory.time(m_problem.tensor(t).elements(), 0), 0});
            it->readers |= bit(i);
        }
    }
    if (m_keepsInputs)
        listInputs();
    if (!m_tooMany)
        listSets();
}

/// What may be listed in tensors_to_retain besides products: boundary inputs, but no views (R1.7).
void ExactSearch::listInputs()
{
    for (Load& load : m_loads) {
        if (m_problem.isView(load.tensor))
            continue;
        m_tooMany = m_ops.size() + m_inputTensors.size() >= kBits;
        if (m_tooMany)
            return;
        load.kept = Mask{1} << (m_ops.size() + m_inputTensors.size());
        m_inputTensors.push_back(load.tensor);
        m_elements.push_back(m_problem.tensor(load.tensor).elements());
    }
}

Mask ExactSearch::maskOf(const std::vector<TensorId>& tensors) const
{
    Mask mask = 0;
    for (const TensorId t : tensors)
        if (const auto producer = m_problem.producer(t); producer && m_local[*producer] >= 0)
            mask |= bit(m_local[*producer]);
    return mask;
}

void ExactSearch::listSets()
{
    std::vector<Mask> adjacent(m_ops.size());
    for (int i = 0; i < m_n; ++i)
        for (int j = 0; j < m_n; ++j) {
            const Op& a = m_problem.op(m_ops[static_cast<std::size_t>(i)]);
            const Op& b = m_problem.op(m_ops[static_cast<std::size_t>(j)]);
            const auto touches = [](const Op& op, TensorId t) {
                return op.output == t || std::ranges::find(op.inputs, t) != op.inputs.end();
            };
            if (i != j && (touches(b, a.output) ||
                           std::ranges::any_of(a.inputs, [&](TensorId t) { return touches(b, t); })))
                adjacent[static_cast<std::size_t>(i)] |= bit(j);
        }
    for (Mask s = 1; s < bit(m_n); ++s) {
        Mask reached = s & (~s + 1);
        for (Mask todo = reached; todo != 0;) {
            const int i = std::countr_zero(todo);
            todo &= todo - 1;
            const Mask more = adjacent[static_cast<std::size_t>(i)] & s & ~reached;
            reached |= more;
            todo |= more;
        }
        if (reached != s)
            continue;
        Candidate c{s, 0, s, 0, 0, false, 0};
        std::vector<OpId> ops;
        bool possible = true;
        for (int i = 0; i < m_n; ++i)
            if ((s & bit(i)) != 0) {
                const auto index = static_cast<std::size_t>(i);
                ops.push_back(m_ops[index]);
                c.needs |= m_inputs[index];
                c.bases |= m_bases[index];
                c.needsResident |= m_usesResident[index] != 0;
                possible &= m_possible[index] != 0;
            }
        if (!possible)
            continue;
        c.sinks = s & ~c.needs;
        c.needs &= ~s;
        c.set = m_pool.intern(std::move(ops));
        // A retained graph output is of no use itself, but may be what holds the others together while yet
        // another subgraph writes it (docs/rules/bound.md 1). Only proofs look at that.
        const bool mayHoldTogether = m_effort == TilingEffort::Exhaustive && std::popcount(s) > 1;
        for (int i = 0; i < m_n; ++i)
            if (m_problem.isGraphOutput(m_problem.op(m_ops[static_cast<std::size_t>(i)]).output))
                c.retainable |= mayHoldTogether ? bit(i) & s : 0;
            else
                c.retainable |= bit(i) & s & (m_read | m_after);
        if (m_keepsInputs) {
            c.retainable |= c.needs;
            for (const Load& load : m_loads)
                c.retainable |= (load.readers & s) != 0 ? load.kept : 0;
        }
        m_sets.push_back(c);
    }
}

bool ExactSearch::canRetain(Mask retain) const
{
    if (m_limits.maxRetained < m_n && std::popcount(retain) > m_limits.maxRetained)
        return false;
    std::int64_t kept = 0;
    for (Mask m = retain; m != 0; m &= m - 1)
        kept += m_elements[static_cast<std::size_t>(std::countr_zero(m))];
    // Beside what it keeps a step needs an element at least, unless all its inputs are kept as well.
    return kept < m_problem.hardware().fastMemoryCapacity + (m_keepsInputs ? 1 : 0);
}

/// What is still to be computed and moved, whatever the schedule: never more than the true rest.
double ExactSearch::remaining(Mask slow, Mask resident) const
{
    const Mask missing = m_required & ~slow;
    Mask written = missing;
    double memory = 0;
    double compute = 0;
    Mask todo = missing | (resident == m_after ? 0 : m_after);
    Mask all = todo;
    while (todo != 0) {
        const int i = std::countr_zero(todo);
        todo &= todo - 1;
        compute += m_compute[static_cast<std::size_t>(i)];
        const Mask bases = m_bases[static_cast<std::size_t>(i)] & ~slow;
        written |= bases;
        const Mask more = (bases | (m_inputs[static_cast<std::size_t>(i)] & ~slow & ~resident)) & ~all;
        all |= more;
        todo |= more;
    }
    for (Mask m = written; m != 0; m &= m - 1)
        memory += m_store[static_cast<std::size_t>(std::countr_zero(m))];
    for (const Load& load : m_loads)
        if ((load.readers & all) != 0 && (load.kept & resident) == 0)
            memory += load.time;
    return std::max(compute, memory);
}

std::optional<double> ExactSearch::latency(SetId set, RetainId resident, RetainId retain, double cutoff)
{
    if (m_effort == TilingEffort::Quick)
        return m_pool.latency({set, resident, retain});
    return m_pool.provenLatency({set, resident, retain}, cutoff, m_limits.keepGoing);
}

ExactResult ExactSearch::run()
{
    ExactResult result;
    if (m_tooMany)
        return result;
    result.space = kEveryPlan;
    result.space += m_keepsInputs ? ", of inputs too; " : "; ";
    result.space += m_effort == TilingEffort::Quick ? "granularities at even splits and the capacity limit"
                                                    : kEveryTiling;
    std::vector<Node> nodes{
        {m_slowBefore, maskOf(m_pool.retain(m_window.residentBefore)), 0, 0, 0, 0, true, 0}};
    std::priority_queue<Queued> queue;
    queue.push({remaining(nodes[0].slow, nodes[0].resident), 0});
    std::unordered_set<std::uint64_t> settled;
    const double limit = m_limits.upperBound * (1 - 1e-12);
    while (!queue.empty()) {
        const Queued top = queue.top();
        queue.pop();
        if (top.estimate >= limit)
            break;
        if (nodes.size() > m_limits.maxNodes || !m_limits.keepGoing())
            return result;
        if (!nodes[top.node].exact) {
            const Node node = nodes[top.node];
            const double rest = remaining(node.slow, node.resident);
            const double cutoff = limit - node.before - rest;
            const std::optional<double> cost =
                latency(m_sets[node.candidate].set, residentOf(node.parent, nodes[node.parent].resident),
                        retainId(node.retain), cutoff);
            if (!cost)
                return result;
            if (*cost >= cutoff) // and then not known: what adds up to the limit could round to less
                continue;
            nodes[top.node].cost = node.before + *cost;
            nodes[top.node].exact = true;
            const double estimate = nodes[top.node].cost + rest;
            if (estimate < limit)
                queue.push({estimate, top.node});
            continue;
        }
        const Node node = nodes[top.node];
        // The first state may hold resident tensors from outside and is not equal to any later one.
        if (top.node != 0 && !settled.insert(stateOf(node.slow, node.resident)).second)
            continue;
        ++result.states;
        const bool ends = m_effort == TilingEffort::Exhaustive || node.resident == m_after;
        if ((m_required & ~node.slow) == 0 && ends &&
            (top.node != 0 || m_window.residentBefore == m_window.residentAfter)) {
            std::vector<CostedSet> entries;
            for (std::uint32_t i = top.node; i != 0; i = nodes[i].parent) {
                const Node& at = nodes[i];
                entries.push_back({{m_sets[at.candidate].set,
                                    residentOf(at.parent, nodes[at.parent].resident), retainId(at.retain)},
                                   at.cost - nodes[at.parent].cost});
            }
            std::ranges::reverse(entries);
            result.entries = std::move(entries);
            result.total = node.cost;
            break;
        }
        const RetainId resident = residentOf(top.node, node.resident);
        for (std::uint32_t i = 0; i < m_sets.size(); ++i) {
            const Candidate& c = m_sets[i];
            if ((c.needs & ~node.slow & ~node.resident) != 0 || (c.bases & ~node.slow) != 0 ||
                (c.needsResident && top.node != 0))
                continue;
            for (Mask retain = c.retainable;; retain = (retain - 1) & c.retainable) {
                if (const Mask slow = node.slow | (c.sinks & ~retain); canRetain(retain)) {
                    const double rest = remaining(slow, retain);
                    if (node.cost + rest < limit && !settled.contains(stateOf(slow, retain))) {
                        const double least = m_pool.leastLatency({c.set, resident, retainId(retain)});
                        const double estimate = node.cost + least + rest;
                        if (estimate < limit) {
                            nodes.push_back(
                                {slow, retain, node.cost + least, top.node, i, retain, false, node.cost});
                            queue.push({estimate, static_cast<std::uint32_t>(nodes.size() - 1)});
                        }
                    }
                }
                if (retain == 0)
                    break;
            }
            if (nodes.size() > m_limits.maxNodes || (i % 64 == 63 && !m_limits.keepGoing()))
                return result;
        }
    }
    result.finished = true;
    return result;
}

} // namespace

std::string exactSpace()
{
    return std::string(kEveryPlan) + "; " + kEveryTiling;
}

ExactWindow wholeProblem(const Problem& problem)
{
    return {problem.topologicalOrder(), std::vector<char>(problem.tensorCount()), 0, problem.graphOutputs(),
            0};
}

ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                         TilingEffort effort, const ExactLimits& limits)
{
    if (window.ops.size() > 16)
        return {};
    return ExactSearch(pool, rules, window, effort, limits).run();
}

} // namespace tilewright
