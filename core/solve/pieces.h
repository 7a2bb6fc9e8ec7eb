// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// Ops whose sets a bound looks at together (docs/rules/bound.md 4).
struct Piece
{
    std::vector<OpId> ops; ///< topological order
    bool alone = true;     ///< no subgraph reaches beyond it
};

/// How large pieces are.
struct PieceSizes
{
    std::size_t whole = 24; ///< what no subgraph reaches beyond is one piece up to this many ops
    std::size_t atom = 20;  ///< ops behind which a cut says little stay together up to this many
    std::size_t most = 14;  ///< smaller pieces are put together up to this many
};

/// By op of the piece: those that are in no subgraph with it, because R4.7 keeps one's result from the other.
[[nodiscard]] std::vector<std::uint64_t> neverTogether(const Problem& problem, const Rules& rules,
                                                       const Piece& piece);

/// Every op is in one piece.
[[nodiscard]] std::vector<Piece> cutIntoPieces(const Problem& problem, const Rules& rules,
                                               const PieceSizes& sizes);

/// Calls visit(mask of piece.ops) for every set of them that hangs together (R4.5), until it says no. False
/// then, and when the piece has more than 64 ops. `apart`: by op, those that are in no set with it; each of
/// the other.
[[nodiscard]] bool forEachConnectedSet(const Problem& problem, const Piece& piece,
                                       const std::function<bool(std::uint64_t)>& visit,
                                       const std::vector<std::uint64_t>& apart = {});

} // namespace tilewright
