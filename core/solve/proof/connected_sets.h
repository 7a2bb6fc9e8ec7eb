// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// Calls visit(mask of the ops) for every set of them that hangs together (R4.5), until it says no. False
/// then, and for more than 64 ops. Sets that no subgraph has may be left out: with a Pointwise whose result
/// R4.7 forbids as operand of another one of them, or that do not fit in fast memory whatever the tiles
/// (docs/rules/bound.md 7). The ops: a component (componentsOf()), or all.
[[nodiscard]] bool forEachConnectedSet(const Problem& problem, const Rules& rules,
                                       const std::vector<OpId>& ops,
                                       const std::function<bool(std::uint64_t)>& visit);

} // namespace tilewright
