// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/pieces.h"

#include "eval/request_kinds.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace tilewright {

namespace {

struct UnionFind
{
    explicit UnionFind(std::size_t n) : parent(n) { std::iota(parent.begin(), parent.end(), std::size_t{0}); }
    std::size_t root(std::size_t i)
    {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b) { parent[root(a)] = root(b); }
    std::vector<std::size_t> parent;
};

/// Puts units of ops, in order, together into pieces so that little crosses between them.
class Cutter
{
public:
    Cutter(const Problem& problem, const Rules& rules, const std::vector<SpatialAxes>& spatial,
           const std::vector<std::size_t>& rank, const std::vector<std::vector<OpId>>& units)
        : m_problem(problem), m_rules(rules), m_spatial(spatial), m_rank(rank), m_units(units)
    {
        for (std::size_t i = 0; i < units.size(); ++i)
            for (const OpId o : units[i])
                m_unitOf.emplace(o.value, i);
    }

    /// Pieces of up to `most` ops, or of one unit.
    [[nodiscard]] std::vector<std::vector<OpId>> cut(std::size_t most) const
    {
        std::vector<double> least(m_units.size() + 1, std::numeric_limits<double>::infinity());
        std::vector<std::size_t> from(m_units.size() + 1, 0);
        least[0] = 0;
        for (std::size_t i = 0; i < m_units.size(); ++i) {
            std::size_t ops = 0;
            for (std::size_t j = i + 1; j <= m_units.size(); ++j) {
                ops += m_units[j - 1].size();
                if (j > i + 1 && ops > most)
                    break;
                const double sum = least[i] + crossing(i, j);
                if (sum < least[j]) {
                    least[j] = sum;
                    from[j] = i;
                }
            }
        }
        std::vector<std::vector<OpId>> out;
        for (std::size_t j = m_units.size(); j > 0; j = from[j]) {
            std::vector<OpId> ops;
            for (std::size_t i = from[j]; i < j; ++i)
                ops.insert(ops.end(), m_units[i].begin(), m_units[i].end());
            out.push_back(inOrder(std::move(ops)));
        }
        std::ranges::reverse(out);
        return out;
    }

private:
    /// How much a bound does not see that lies between the units from `first` to `last` and others.
    [[nodiscard]] double crossing(std::size_t first, std::size_t last) const
    {
        constexpr double kServing = 3; // what may serve a MatMul there says less, too
        constexpr double kShared = 0.25;
        const auto isInside = [&](OpId o) {
            const auto it = m_unitOf.find(o.value);
            return it != m_unitOf.end() && it->second >= first && it->second < last;
        };
        double sum = 1; // rather few pieces
        const auto add = [&](TensorId t) {
            const double elements = static_cast<double>(m_problem.tensor(t).elements());
            const auto producer = m_problem.producer(t);
            const auto consumers = m_problem.consumers(t);
            const bool made = producer && isInside(*producer);
            bool crosses = false;
            bool reads = made;
            bool others = producer && !made;
            for (const OpId c : consumers) {
                const bool inside = isInside(c);
                crosses |= producer && inside != made && !isFusionForbidden(m_problem, m_rules, t, c);
                (inside ? reads : others) = true;
            }
            if (crosses) {
                const SpatialAxes& axes = m_spatial[producer->index()];
                sum += elements * (axes.rows && axes.cols ? 1 : kServing);
            } else if (reads && others) {
                sum += elements * kShared;
            }
        };
        for (std::size_t i = first; i < last; ++i)
            for (const OpId o : m_units[i]) {
                add(m_problem.op(o).output);
                for (const TensorId t : m_problem.op(o).inputs)
                    add(t);
            }
        return sum;
    }

    [[nodiscard]] std::vector<OpId> inOrder(std::vector<OpId> ops) const
    {
        std::ranges::sort(ops, {}, [&](OpId o) { return m_rank[o.index()]; });
        return ops;
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const std::vector<SpatialAxes>& m_spatial;
    const std::vector<std::size_t>& m_rank; ///< in topological order, by op
    const std::vector<std::vector<OpId>>& m_units;
    std::unordered_map<std::uint32_t, std::size_t> m_unitOf; ///< by op
};

} // namespace

std::vector<Piece> cutIntoPieces(const Problem& problem, const Rules& rules, const PieceSizes& sizes)
{
    std::vector<Piece> pieces;
    const std::size_t n = problem.opCount();
    const std::vector<SpatialAxes> spatial = spatialAxes(problem, rules);
    UnionFind together(n); // in some subgraph
    UnionFind atoms(n);    // not to be separated
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const TensorId t(i);
        const auto consumers = problem.consumers(t);
        for (std::size_t c = 1; c < consumers.size(); ++c)
            together.join(consumers[c].index(), consumers[0].index());
        const auto producer = problem.producer(t);
        for (const OpId c : consumers)
            if (producer && !isFusionForbidden(problem, rules, t, c)) {
                together.join(producer->index(), c.index());
                // What may serve an operand of a MatMul may run otherwise than the same op as a sink: a cut
                // behind it says less.
                if (!spatial[producer->index()].rows || !spatial[producer->index()].cols)
                    atoms.join(producer->index(), c.index());
            }
    }
    std::unordered_map<std::size_t, std::size_t> atomSize, size;
    for (std::size_t o = 0; o < n; ++o) {
        ++atomSize[atoms.root(o)];
        ++size[together.root(o)];
    }
    std::unordered_map<std::size_t, std::vector<std::vector<OpId>>> units; // by component
    std::unordered_map<std::size_t, std::size_t> unitOfAtom;               // in its component
    std::vector<std::size_t> components;                                   // in order of their first ops
    for (const OpId o : problem.topologicalOrder()) {
        const std::size_t component = together.root(o.index());
        auto& mine = units[component];
        if (mine.empty())
            components.push_back(component);
        // Atoms that are too large fall into single ops; their numbers are behind those of the others.
        const bool crumbles = atomSize[atoms.root(o.index())] > sizes.atom && size[component] > sizes.whole;
        const std::size_t atom = size[component] <= sizes.whole ? component
                                 : crumbles                     ? n + o.index()
                                                                : atoms.root(o.index());
        const auto [it, isNew] = unitOfAtom.try_emplace(atom, mine.size());
        if (isNew)
            mine.emplace_back();
        mine[it->second].push_back(o);
    }
    std::vector<std::size_t> rank(n);
    for (std::size_t i = 0; i < n; ++i)
        rank[problem.topologicalOrder()[i].index()] = i;
    for (const std::size_t component : components)
        for (std::vector<OpId>& ops : Cutter(problem, rules, spatial, rank, units[component]).cut(sizes.most))
            pieces.push_back({std::move(ops), true});
    for (Piece& piece : pieces)
        piece.alone = piece.ops.size() == size[together.root(piece.ops[0].index())];
    return pieces;
}

} // namespace tilewright
