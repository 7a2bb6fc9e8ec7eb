// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast_evaluator.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright::testing {

/// Optimum by plain search over every schedule: Dijkstra over (in slow memory, resident), every op set in
/// one subgraph, every granularity and preset traversal, every retained set, by core/eval, which alone knows
/// the rules. Shares nothing with the solver.
class BruteForce
{
public:
    /// `allows`: the subgraphs that a schedule may have; empty: all.
    explicit BruteForce(const Problem& problem, const Rules& rules = {},
                        std::function<bool(const Subgraph&)> allows = {})
        : m_problem(problem), m_rules(rules), m_n(problem.opCount()), m_allows(std::move(allows))
    {
    }

    struct Cost
    {
        double latency = 0, energy = 0;
    };
    /// Every trade-off between latency and energy: the latency ascends, the energy descends.
    using Costs = std::vector<Cost>;

    /// The least latency.
    double optimum()
    {
        std::map<State, double> best;
        std::priority_queue<std::pair<double, State>, std::vector<std::pair<double, State>>, std::greater<>>
            queue;
        queue.push({0.0, {maskOf(m_problem.graphInputs()), 0U}});
        while (!queue.empty()) {
            const auto [cost, state] = queue.top();
            queue.pop();
            if (!best.emplace(state, cost).second)
                continue;
            if (isGoal(state))
                return cost;
            forEachNext(state, [&, cost = cost](const State& next, const Costs& costs) {
                if (!best.contains(next))
                    queue.push({cost + costs.front().latency, next});
            });
        }
        return 1e300;
    }

    /// Every trade-off; empty if there is no valid schedule.
    Costs front()
    {
        std::map<State, Costs> settled;
        Costs out;
        std::priority_queue<std::tuple<double, double, State>, std::vector<std::tuple<double, double, State>>,
                            std::greater<>>
            queue;
        queue.push({0.0, 0.0, {maskOf(m_problem.graphInputs()), 0U}});
        while (!queue.empty()) { // by latency, so that what comes later has to take less energy
            const auto [latency, energy, state] = queue.top();
            queue.pop();
            Costs& here = settled[state];
            if ((!here.empty() && here.back().energy <= energy) ||
                (!out.empty() && out.back().energy <= energy))
                continue;
            here.push_back({latency, energy});
            if (isGoal(state)) {
                out.push_back({latency, energy});
                continue;
            }
            forEachNext(state,
                        [&, latency = latency, energy = energy](const State& next, const Costs& costs) {
                            for (const Cost& c : costs)
                                queue.push({latency + c.latency, energy + c.energy, next});
                        });
        }
        return out;
    }

private:
    using State = std::pair<unsigned, unsigned>; ///< in slow memory, resident

    [[nodiscard]] bool isGoal(const State& state) const
    {
        return (maskOf(m_problem.graphOutputs()) & ~state.first) == 0;
    }
    /// Calls visit(next, costs) for every subgraph that can run next.
    template <class Visit> void forEachNext(const State& state, Visit&& visit)
    {
        const auto [slow, resident] = state;
        for (unsigned ops = 1; ops < (1U << m_n); ++ops) {
            const Boundary boundary = boundaryOf(m_problem, list(ops));
            const auto isThere = [&, slow = slow, resident = resident](TensorId t) {
                const auto bases = m_problem.bases(t);
                return bases.empty() ? ((slow | resident) >> t.index() & 1U) != 0
                                     : (maskOf({bases.begin(), bases.end()}) & ~slow) == 0;
            };
            if (!std::ranges::all_of(boundary.inputs, isThere))
                continue;
            unsigned keepable = maskOf(boundary.sinks) | maskOf(boundary.interior);
            if (m_rules.keepsInputs())
                keepable |= maskOf(boundary.inputs);
            const unsigned carried =
                m_rules.retainInputs == Rules::RetainInputs::Carry ? resident & ~keepable : 0;
            keepable |= carried;
            for (unsigned retain = keepable;; retain = (retain - 1) & keepable) {
                const unsigned reserved = resident | (retain & ~maskOf(boundary.inputs)); // R9.1a
                if (units(reserved) <= m_problem.capacityUnits())
                    if (const Costs& costs = tilings(ops, resident, retain); !costs.empty())
                        visit(State{slow | (maskOf(boundary.sinks) & ~retain), retain}, costs);
                if (retain == 0)
                    break;
            }
        }
    }
    [[nodiscard]] std::vector<OpId> list(unsigned mask) const
    {
        std::vector<OpId> out;
        for (const OpId o : m_problem.topologicalOrder())
            if ((mask >> o.index() & 1U) != 0)
                out.push_back(o);
        return out;
    }
    [[nodiscard]] static unsigned maskOf(const std::vector<TensorId>& tensors)
    {
        unsigned out = 0;
        for (const TensorId t : tensors)
            out |= 1U << t.index();
        return out;
    }
    [[nodiscard]] std::vector<TensorId> tensors(unsigned mask) const
    {
        std::vector<TensorId> out;
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i)
            if ((mask >> i & 1U) != 0)
                out.emplace_back(i);
        return out;
    }
    [[nodiscard]] std::int64_t units(unsigned mask) const
    {
        std::int64_t sum = 0;
        for (const TensorId t : tensors(mask))
            sum += m_problem.sizeUnits(t);
        return sum;
    }
    /// Larger sizes are forbidden, or give the steps of this one.
    [[nodiscard]] Granularity largest(unsigned ops) const
    {
        const Hardware& hw = m_problem.hardware();
        Granularity most{1, 1, 1};
        for (const OpId o : list(ops)) {
            const Tensor& out = m_problem.tensor(m_problem.op(o).output);
            most = {std::max(most.w, out.width), std::max(most.h, out.height),
                    std::max(most.k, m_problem.reductionSize(o))};
        }
        if (m_rules.superNative == Rules::SuperNative::Ceil)
            return most;
        return {std::min(most.w, hw.nativeWidth), std::min(most.h, hw.nativeHeight),
                m_rules.kLimit == Rules::KLimit::Native ? std::min(most.k, hw.nativeK()) : most.k};
    }
    const Costs& tilings(unsigned ops, unsigned resident, unsigned retain)
    {
        const auto key = std::tuple(ops, resident, retain);
        if (const auto it = m_memo.find(key); it != m_memo.end())
            return it->second;
        const std::vector<TensorId> before = tensors(resident);
        Costs all;
        Subgraph s{list(ops), {}, tensors(retain), {}, {}, false};
        const Granularity most = largest(ops);
        for (std::int64_t w = 1; w <= most.w; ++w)
            for (std::int64_t h = 1; h <= most.h; ++h)
                for (std::int64_t k = 1; k <= most.k; ++k)
                    for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake,
                                                     TraversalKind::Column, TraversalKind::ColumnSnake}) {
                        s.granularity = {w, h, k};
                        s.traversal = kind;
                        if (m_allows && !m_allows(s))
                            break; // the constraints do not ask for the order of the tiles
                        const SubgraphEvaluation e = evaluateSubgraph(m_problem, s, before, m_rules);
                        if (e.structurallyValid && e.fits)
                            all.push_back({e.latency, e.energy});
                    }
        std::ranges::sort(all, [](const Cost& a, const Cost& b) {
            return std::tie(a.latency, a.energy) < std::tie(b.latency, b.energy);
        });
        Costs best;
        for (const Cost& c : all)
            if (best.empty() || c.energy < best.back().energy)
                best.push_back(c);
        return m_memo.emplace(key, std::move(best)).first->second;
    }

    const Problem& m_problem;
    Rules m_rules;
    std::size_t m_n;
    std::function<bool(const Subgraph&)> m_allows;
    std::map<std::tuple<unsigned, unsigned, unsigned>, Costs> m_memo;
};

} // namespace tilewright::testing
