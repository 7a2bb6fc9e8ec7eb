// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

namespace tilewright::testing {

/// Optimum by plain search over every schedule: Dijkstra over (in slow memory, resident), every op set in
/// one subgraph, every granularity and preset traversal, every retained set, by core/eval.
/// Shares nothing with the solver.
class BruteForce
{
public:
    explicit BruteForce(const Problem& problem) : m_problem(problem), m_n(problem.opCount()) {}

    double optimum()
    {
        using State = std::pair<unsigned, unsigned>;
        std::map<State, double> best;
        std::priority_queue<std::pair<double, State>, std::vector<std::pair<double, State>>, std::greater<>>
            queue;
        queue.push({0.0, {0U, 0U}});
        while (!queue.empty()) {
            const auto [cost, state] = queue.top();
            queue.pop();
            if (!best.emplace(state, cost).second)
                continue;
            const auto [slow, resident] = state;
            const bool done = std::ranges::all_of(m_problem.graphOutputs(), [&](TensorId t) {
                return (slow >> m_problem.producer(t)->index() & 1U) != 0;
            });
            if (done)
                return cost;
            for (unsigned ops = 1; ops < (1U << m_n); ++ops)
                for (unsigned retain = ops;; retain = (retain - 1) & ops) {
                    if (ready(ops, slow | resident)) {
                        const double latency = leastLatency(ops, resident, retain);
                        if (latency < 1e300) {
                            const State next{slow | (sinks(ops) & ~retain), retain};
                            if (!best.contains(next))
                                queue.push({cost + latency, next});
                        }
                    }
                    if (retain == 0)
                        break;
                }
        }
        return 1e300;
    }

private:
    [[nodiscard]] std::vector<OpId> list(unsigned mask) const
    {
        std::vector<OpId> out;
        for (const OpId o : m_problem.topologicalOrder())
            if ((mask >> o.index() & 1U) != 0)
                out.push_back(o);
        return out;
    }
    [[nodiscard]] bool ready(unsigned ops, unsigned available) const
    {
        for (const OpId o : list(ops))
            for (const TensorId t : m_problem.op(o).inputs)
                if (const auto p = m_problem.producer(t))
                    if (((ops | available) >> p->index() & 1U) == 0)
                        return false;
        return true;
    }
    [[nodiscard]] unsigned sinks(unsigned ops) const
    {
        unsigned out = 0;
        for (const TensorId t : boundaryOf(m_problem, list(ops)).sinks)
            out |= 1U << m_problem.producer(t)->index();
        return out;
    }
    [[nodiscard]] std::vector<TensorId> outputs(unsigned ops) const
    {
        std::vector<TensorId> out;
        for (const OpId o : list(ops))
            out.push_back(m_problem.op(o).output);
        std::ranges::sort(out);
        return out;
    }
    double leastLatency(unsigned ops, unsigned resident, unsigned retain)
    {
        const auto key = std::tuple(ops, resident, retain);
        if (const auto it = m_memo.find(key); it != m_memo.end())
            return it->second;
        const Hardware& hw = m_problem.hardware();
        const std::vector<TensorId> before = outputs(resident);
        double least = 1e300;
        Subgraph s{list(ops), {}, outputs(retain), {}, {}, false};
        for (std::int64_t w = 1; w <= hw.nativeWidth; ++w)
            for (std::int64_t h = 1; h <= hw.nativeHeight; ++h)
                for (std::int64_t k = 1; k <= hw.nativeK(); ++k)
                    for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake,
                                                     TraversalKind::Column, TraversalKind::ColumnSnake}) {
                        s.granularity = {w, h, k};
                        s.traversal = kind;
                        const SubgraphEvaluation e = evaluateSubgraph(m_problem, s, before, Rules::final());
                        if (e.structurallyValid && e.fits)
                            least = std::min(least, e.latency);
                    }
        m_memo.emplace(key, least);
        return least;
    }

    const Problem& m_problem;
    std::size_t m_n;
    std::map<std::tuple<unsigned, unsigned, unsigned>, double> m_memo;
};

} // namespace tilewright::testing
