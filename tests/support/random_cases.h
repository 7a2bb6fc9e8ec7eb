// SPDX-License-Identifier: GPL-3.0-or-later
// Random problems and schedules that reach every rule: ragged tiles, shared inputs, several sinks of the same
// and of different shapes, chains, prologues and epilogues, the same tensor twice, retained sinks and
// interiors, residents, recomputation, every traversal.
#pragma once

#include "eval/evaluation.h"

#include <cstdint>
#include <random>
#include <vector>

namespace tilewright::random_cases {

class Source
{
public:
    explicit Source(std::uint64_t seed) : m_engine(seed) {}

    std::int64_t between(std::int64_t lo, std::int64_t hi)
    {
        return lo + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    bool chance(int percent) { return between(1, 100) <= percent; }
    template <class C> const auto& pick(const C& c)
    {
        return c[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(std::size(c)) - 1))];
    }

private:
    std::mt19937_64 m_engine;
};

/// A few dimensions only, so that shapes meet often. In `viewPercent` of the cases an input is a view (R1.7)
/// of what is there already.
ProblemPtr problem(Source& rnd, int maxOps = 7, int viewPercent = 0);

/// A map of a view to a base of this size (R1.8), and the size of the view: (height, width). At most `most`
/// rows and columns.
struct DrawnMap
{
    IndexMap map;
    std::pair<std::int64_t, std::int64_t> size;
};
DrawnMap indexMap(Source& rnd, std::int64_t height, std::int64_t width, std::int64_t most = 40);

/// What a drawn problem of a real model states.
struct RealParts
{
    bool maps = true, bits = true, energy = true;
    std::int64_t most = 40; ///< largest extent
};
/// R1.8, R1.9, R17: maps of all kinds (of inputs and of results, so that they follow one another; a base that
/// is also read directly), bits, accumulator bits and energies, and arrays of R8.4.
ProblemPtr realProblem(Source& rnd, int maxOps = 6, RealParts parts = {});

/// Often rule set `machine` (R18), otherwise rules().
Rules realRules(Source& rnd);

Rules rules(Source& rnd);

/// A contiguous part of a topological order, mostly; sometimes any set of ops.
Schedule schedule(Source& rnd, const Problem& p);

/// Of these ops, with sizes that divide, that do not, and that are larger than everything.
Subgraph subgraph(Source& rnd, const Problem& p, std::vector<OpId> ops);

Traversal traversal(Source& rnd, std::int64_t rows, std::int64_t cols);

/// Ops that hang together through tensors, producers first.
std::vector<OpId> connectedOps(Source& rnd, const Problem& p, std::size_t most);

} // namespace tilewright::random_cases
