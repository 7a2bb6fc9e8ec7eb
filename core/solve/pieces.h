// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstddef>
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

/// Every op is in one piece.
[[nodiscard]] std::vector<Piece> cutIntoPieces(const Problem& problem, const Rules& rules,
                                               const PieceSizes& sizes);

} // namespace tilewright
