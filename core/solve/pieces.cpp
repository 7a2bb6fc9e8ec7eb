// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/pieces.h"

#include "eval/request_kinds.h"

#include <algorithm>
#include <bit>
#include <cstdint>
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

using OpBits = std::uint64_t;
constexpr std::size_t kMostBits = 64;

std::vector<OpBits> neighbours(const Problem& problem, const Piece& piece)
{
    std::vector<OpBits> out(piece.ops.size());
    const auto touches = [](const Op& op, TensorId t) {
        return op.output == t || std::ranges::find(op.inputs, t) != op.inputs.end();
    };
    for (std::size_t i = 0; i < piece.ops.size(); ++i)
        for (std::size_t j = 0; j < piece.ops.size(); ++j) {
            const Op& a = problem.op(piece.ops[i]);
            const Op& b = problem.op(piece.ops[j]);
            if (i != j && (touches(b, a.output) ||
                           std::ranges::any_of(a.inputs, [&](TensorId t) { return touches(b, t); })))
                out[i] |= OpBits{1} << j;
        }
    return out;
}

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
    std::unordered_map<std::size_t, std::uint32_t> pieceOfAtom, open; // open: by component
    for (const OpId o : problem.topologicalOrder()) {
        const std::size_t component = together.root(o.index());
        // Atoms that are too large fall into single ops; their numbers are behind those of the others.
        const bool crumbles = atomSize[atoms.root(o.index())] > sizes.atom && size[component] > sizes.whole;
        const std::size_t atom = size[component] <= sizes.whole ? component
                                 : crumbles                     ? n + o.index()
                                                                : atoms.root(o.index());
        auto it = pieceOfAtom.find(atom);
        if (it == pieceOfAtom.end()) {
            const std::size_t more = size[component] <= sizes.whole ? size[component]
                                     : crumbles                     ? 1
                                                                    : atomSize[atom];
            auto& at = open.try_emplace(component, std::numeric_limits<std::uint32_t>::max()).first->second;
            if (at == std::numeric_limits<std::uint32_t>::max() ||
                pieces[at].ops.size() + more > sizes.most) {
                at = static_cast<std::uint32_t>(pieces.size());
                pieces.emplace_back();
            }
            it = pieceOfAtom.emplace(atom, at).first;
        }
        pieces[it->second].ops.push_back(o);
    }
    for (Piece& piece : pieces)
        piece.alone = piece.ops.size() == size[together.root(piece.ops[0].index())];
    return pieces;
}

/// Grown from its first op by neighbours that are not before it.
bool forEachConnectedSet(const Problem& problem, const Piece& piece,
                         const std::function<bool(std::uint64_t)>& visit)
{
    if (piece.ops.size() > kMostBits)
        return false;
    const std::vector<OpBits> near = neighbours(problem, piece);
    struct Grown
    {
        OpBits set, candidates, refused;
    };
    std::vector<Grown> todo;
    for (std::size_t first = 0; first < near.size(); ++first) {
        const OpBits one = OpBits{1} << first;
        const OpBits before = one - 1;
        todo.push_back({one, near[first] & ~before, before});
        while (!todo.empty()) {
            Grown g = todo.back();
            todo.pop_back();
            if (g.candidates == 0) {
                if (!visit(g.set))
                    return false;
                continue;
            }
            const int next = std::countr_zero(g.candidates);
            const OpBits bit = OpBits{1} << next;
            g.candidates &= ~bit;
            todo.push_back({g.set, g.candidates, g.refused | bit});
            const OpBits set = g.set | bit;
            const OpBits reach = near[static_cast<std::size_t>(next)] & ~set & ~g.refused;
            todo.push_back({set, g.candidates | reach, g.refused});
        }
    }
    return true;
}

} // namespace tilewright
