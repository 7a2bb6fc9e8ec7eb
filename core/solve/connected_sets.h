// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/pieces.h"

#include <cstdint>
#include <functional>

namespace tilewright {

/// Calls visit(mask of piece.ops) for every set of them that hangs together (R4.5), until it says no. False
/// then, and when the piece has more than 64 ops. Sets that no subgraph has in this piece may be left out:
/// with a Pointwise whose result R4.7 forbids as operand of another one of them, or that do not fit in fast
/// memory whatever the tiles (docs/rules/bound.md 4).
[[nodiscard]] bool forEachConnectedSet(const Problem& problem, const Rules& rules, const Piece& piece,
                                       const std::function<bool(std::uint64_t)>& visit);

} // namespace tilewright
