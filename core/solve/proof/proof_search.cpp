// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/proof_search.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright {

namespace {

class ProofSearch : StateSearch
{
public:
    ProofSearch(ProofColumns& columns, const ProofGraph& graph, SubgraphPool& pool, ProofCosts costs,
                const StateSearch::Limits& limits)
        : StateSearch(pool, limits, 0), m_columns(columns), m_graph(graph), m_costs(costs)
    {
        for (const ProofColumn& c : columns.columns())
            m_choices.push_back({&c, graph.neededBy(c.ops), graph.basesOf(c.ops), graph.sinksOf(c.ops),
                                 pool.intern(graph.opsOf(c.ops))});
        std::ranges::stable_sort(m_choices, {}, [](const Choice& c) { return c.column->reduced; });
    }
    ProofSearchResult run()
    {
        const Outcome found = search({});
        ProofSearchResult out{found.finished, std::max(m_columns.value(), found.bound), {}};
        out.bound = std::min(out.bound, m_columns.upperBound());
        out.states = found.states;
        if (found.goal)
            out.total = node(*found.goal).cost;
        if (found.goal && m_costs == ProofCosts::Presets)
            out.entries = entriesTo(*found.goal);
        return out;
    }

private:
    struct Choice
    {
        const ProofColumn* column;
        OpMask needs, bases, sinks;
        SetId set;
    };
    struct Key
    {
        OpMask ops, resident, retained;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash
    {
        std::size_t operator()(const Key& k) const noexcept { return hashOf(k.ops, k.resident, k.retained); }
    };

    [[nodiscard]] double remaining(const State& state) const override
    {
        return m_columns.remaining(state.slow, state.resident);
    }
    [[nodiscard]] bool isGoal(std::uint32_t at) const override
    {
        return (m_graph.outputs & ~node(at).state.slow) == 0;
    }
    [[nodiscard]] bool expand(std::uint32_t at) override;
    [[nodiscard]] SetId setOf(std::uint32_t choice) const override { return m_choices[choice].set; }
    [[nodiscard]] std::vector<TensorId> tensorsOf(OpMask mask) const override
    {
        return m_graph.outputsOf(mask);
    }
    /// Returns a lower bound of the latency of the column's subgraph if the tensors `resident` are in fast
    /// memory at its start. It need not read all of them.
    [[nodiscard]] double leastAfter(const ProofColumn& c, OpMask resident)
    {
        if (resident == c.resident)
            return c.least;
        const auto [it, isNew] = m_least.try_emplace(Key{c.ops, resident, c.retained}, 0);
        if (isNew)
            it->second = std::max(c.least, m_columns.leastBetween(c.ops, resident, c.retained));
        return it->second;
    }

    ProofColumns& m_columns;
    const ProofGraph& m_graph;
    ProofCosts m_costs;
    std::vector<Choice> m_choices; ///< columns that can come next in a plan, by ascending reduced cost
    std::unordered_map<Key, double, KeyHash> m_least;
};

bool ProofSearch::expand(std::uint32_t at)
{
    const Node from = node(at);
    for (std::uint32_t i = 0; i < m_choices.size(); ++i) {
        const Choice& choice = m_choices[i];
        const ProofColumn& c = *choice.column;
        // The reduced costs of a plan's columns sum to at most its latency minus the bound, so the sum is
        // limited (docs/rules/bound.md 7).
        const double reduced = from.reduced + c.reduced;
        if (m_columns.value() + reduced > m_limit * (1 + 1e-9))
            break;
        const OpMask there = from.state.resident & choice.needs;
        if (there != c.resident || (choice.needs & ~from.state.slow & ~there) != 0 ||
            (choice.bases & ~from.state.slow) != 0)
            continue;
        const State next{from.state.slow | (choice.sinks & ~c.retained), c.retained};
        const double rest = remainingBelowLimit(next, from.cost + c.least);
        if (!(rest < m_limit))
            continue;
        const bool isExact =
            m_costs == ProofCosts::AnyOrder || (c.exact && from.state.resident == c.resident);
        open({next, from.cost, from.cost + leastAfter(c, from.state.resident), reduced, at, i, isExact},
             rest);
    }
    return true;
}

} // namespace

ProofSearchResult searchProof(ProofColumns& columns, const ProofGraph& graph, SubgraphPool& pool,
                              ProofCosts costs, const StateSearch::Limits& limits)
{
    return ProofSearch(columns, graph, pool, costs, limits).run();
}

} // namespace tilewright
