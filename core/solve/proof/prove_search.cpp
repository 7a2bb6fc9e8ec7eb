// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/prove_search.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>

namespace tilewright {

namespace {

class ProofSearch
{
public:
    ProofSearch(ProofColumns& columns, const ProofGraph& graph, SubgraphPool& pool, ProofCosts costs,
                const ProofSearchLimits& limits)
        : m_prices(columns), m_graph(graph), m_pool(pool), m_costs(costs), m_limits(limits),
          m_limit(columns.upperBound() * (1 - 1e-12))
    {
        for (const ProofColumn& c : columns.columns())
            m_choices.push_back({&c, graph.neededBy(c.ops), graph.basesOf(c.ops), graph.sinksOf(c.ops),
                                 pool.intern(graph.opsOf(c.ops))});
        std::ranges::stable_sort(m_choices, {}, [](const Choice& c) { return c.column->reduced; });
    }
    ProofSearchResult run();

private:
    struct Choice
    {
        const ProofColumn* column;
        ProofMask needs, bases, sinks;
        SetId set;
    };
    struct State
    {
        ProofMask slow, resident;
        bool operator==(const State&) const = default;
    };
    struct StateHash
    {
        std::size_t operator()(const State& s) const noexcept
        {
            std::uint64_t h = s.slow * 0x9e3779b97f4a7c15ULL;
            h = (h ^ (h >> 29) ^ s.resident) * 0xbf58476d1ce4e5b9ULL;
            return h ^ (h >> 32);
        }
    };
    struct Node
    {
        State state;
        double before;  ///< cost up to the last subgraph
        double cost;    ///< with it; a bound unless exact
        double reduced; ///< what the columns up to here are above their prices
        std::uint32_t parent;
        std::uint32_t choice;
        bool exact;
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
    struct Key
    {
        ProofMask ops, resident, retained;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash
    {
        std::size_t operator()(const Key& k) const noexcept
        {
            return StateHash{}({k.ops, k.resident}) ^ (k.retained * 0x94d049bb133111ebULL >> 7);
        }
    };

    [[nodiscard]] RetainId retainId(ProofMask mask)
    {
        const auto [it, isNew] = m_retainIds.try_emplace(mask, 0);
        if (isNew)
            it->second = m_pool.internRetain(m_graph.outputsOf(mask));
        return it->second;
    }
    /// What the subgraph costs at least after `resident`, some of which it need not read.
    [[nodiscard]] double leastAfter(const Choice& choice, ProofMask resident)
    {
        const ProofColumn& c = *choice.column;
        if (resident == c.stayIn)
            return c.least;
        const auto [it, isNew] = m_least.try_emplace(Key{c.ops, resident, c.stayOut}, 0);
        if (isNew)
            it->second = std::max(c.least, m_prices.leastBetween(c.ops, resident, c.stayOut));
        return it->second;
    }
    [[nodiscard]] bool isExact(const Choice& choice, ProofMask resident) const
    {
        return m_costs == ProofCosts::AnyOrder || (choice.column->exact && resident == choice.column->stayIn);
    }
    void expand(std::uint32_t at);
    void push(std::uint32_t parent, std::uint32_t choice);
    /// Makes the cost of a node exact. False when that cannot be done.
    [[nodiscard]] bool settle(std::uint32_t at);
    /// Whether the state has been reached as cheaply by another way; if not, this one is remembered.
    [[nodiscard]] bool isBeaten(const State& state, double cost)
    {
        const auto [it, isNew] = m_best.try_emplace(state, cost);
        if (isNew || cost < it->second) {
            it->second = cost;
            return false;
        }
        return true;
    }
    [[nodiscard]] std::vector<CostedSet> entriesTo(std::uint32_t last);

    ProofColumns& m_prices;
    const ProofGraph& m_graph;
    SubgraphPool& m_pool;
    ProofCosts m_costs;
    const ProofSearchLimits& m_limits;
    double m_limit;
    std::vector<Choice> m_choices;
    std::vector<Node> m_nodes;
    std::priority_queue<Queued> m_queue;
    std::unordered_map<State, double, StateHash> m_best; ///< exact costs
    std::unordered_map<ProofMask, RetainId> m_retainIds;
    std::unordered_map<Key, double, KeyHash> m_least;
};

void ProofSearch::push(std::uint32_t parent, std::uint32_t choice)
{
    const Node& from = m_nodes[parent];
    const Choice& c = m_choices[choice];
    const State next{from.state.slow | (c.sinks & ~c.column->stayOut), c.column->stayOut};
    if (const auto it = m_best.find(next); it != m_best.end() && it->second <= from.cost + c.column->least)
        return;
    const double rest = m_prices.rest(next.slow, next.resident);
    if (from.cost + c.column->least + rest >= m_limit)
        return;
    const double least = leastAfter(c, from.state.resident);
    const double cost = from.cost + least;
    if (cost + rest >= m_limit)
        return;
    const bool exact = isExact(c, from.state.resident);
    if (exact && isBeaten(next, cost))
        return;
    m_nodes.push_back({next, from.cost, cost, from.reduced + c.column->reduced, parent, choice, exact});
    m_queue.push({cost + rest, static_cast<std::uint32_t>(m_nodes.size() - 1)});
}

void ProofSearch::expand(std::uint32_t at)
{
    const Node node = m_nodes[at];
    for (std::uint32_t i = 0; i < m_choices.size(); ++i) {
        const Choice& c = m_choices[i];
        // What columns are above their prices adds up (docs/rules/bound.md 7).
        if (m_prices.bound() + node.reduced + c.column->reduced > m_limit * (1 + 1e-9))
            break;
        const ProofMask there = node.state.resident & c.needs;
        if (there == c.column->stayIn && (c.needs & ~node.state.slow & ~there) == 0 &&
            (c.bases & ~node.state.slow) == 0)
            push(at, i);
    }
}

bool ProofSearch::settle(std::uint32_t at)
{
    const Node node = m_nodes[at];
    const Choice& c = m_choices[node.choice];
    const double rest = m_prices.rest(node.state.slow, node.state.resident);
    const double cutoff = m_limit - node.before - rest;
    const std::optional<double> latency =
        m_pool.provenLatency({c.set, retainId(m_nodes[node.parent].state.resident),
                              retainId(c.column->stayOut)},
                             cutoff, m_limits.keepGoing);
    if (!latency)
        return false;
    const double cost = node.before + *latency;
    // What reaches the cut-off is not known exactly.
    if (*latency >= cutoff || isBeaten(node.state, cost))
        return true;
    m_nodes[at].cost = cost;
    m_nodes[at].exact = true;
    if (cost + rest < m_limit)
        m_queue.push({cost + rest, at});
    return true;
}

std::vector<CostedSet> ProofSearch::entriesTo(std::uint32_t last)
{
    std::vector<CostedSet> out;
    for (std::uint32_t i = last; i != 0; i = m_nodes[i].parent) {
        const Node& at = m_nodes[i];
        out.push_back({{m_choices[at.choice].set, retainId(m_nodes[at.parent].state.resident),
                        retainId(at.state.resident)},
                       at.cost - at.before});
    }
    std::ranges::reverse(out);
    return out;
}

ProofSearchResult ProofSearch::run()
{
    ProofSearchResult result;
    const State start{0, 0};
    m_nodes.push_back({start, 0, 0, 0, 0, 0, true});
    (void)isBeaten(start, 0);
    m_queue.push({m_prices.rest(0, 0), 0});
    result.bound = m_prices.bound();
    double told = result.bound;
    while (!m_queue.empty()) {
        const Queued top = m_queue.top();
        // Every better schedule goes on from a node of the queue.
        result.bound = std::max(result.bound, std::min(top.estimate, m_prices.upperBound()));
        if (result.bound > told * (1 + 1e-4)) {
            told = result.bound;
            if (m_limits.onBound)
                m_limits.onBound(told);
        }
        if (m_nodes.size() > m_limits.nodes || !m_limits.keepGoing())
            return result;
        m_queue.pop();
        const Node& node = m_nodes[top.node];
        if (!node.exact) {
            if (!settle(top.node))
                return result;
            continue;
        }
        if (m_best.at(node.state) < node.cost)
            continue;
        ++result.states;
        if ((m_graph.outputs & ~node.state.slow) == 0) {
            result.finished = true;
            result.bound = std::max(result.bound, std::min(node.cost, m_prices.upperBound()));
            result.total = node.cost;
            if (m_costs == ProofCosts::Presets)
                result.entries = entriesTo(top.node);
            return result;
        }
        expand(top.node);
    }
    result.finished = true;
    result.bound = m_prices.upperBound();
    return result;
}

} // namespace

ProofSearchResult searchProof(ProofColumns& columns, const ProofGraph& graph, SubgraphPool& pool,
                              ProofCosts costs, const ProofSearchLimits& limits)
{
    return ProofSearch(columns, graph, pool, costs, limits).run();
}

} // namespace tilewright
