// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/proof/state_search.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct ExactLimits : StateSearch::Limits
{
    int maxRetained = 32; ///< maximum number of tensors retained between two subgraphs
};

/// Returns a description of the space that a search with `Exhaustive` tilings covers.
[[nodiscard]] std::string exactSpace();

/// A part of a schedule that is replanned: the ops of the window, the memory state before it and the required
/// state after it.
struct ExactWindow
{
    std::vector<OpId> ops;          ///< ops that may run in the window, in topological order; at most 16
    std::vector<char> slowBefore;   ///< for each tensor: produced, and in slow memory before the window
    RetainId residentBefore = 0;    ///< tensors in fast memory before the window
    std::vector<TensorId> required; ///< tensors that must be in slow memory after the window
    RetainId residentAfter = 0;     ///< tensors in fast memory after the window
};
/// Returns the window of all ops.
[[nodiscard]] ExactWindow wholeProblem(const Problem& problem);

struct ExactResult
{
    bool finished = false; ///< true if the whole space was covered
    /// The optimal plan; nothing if no plan is better than the upper bound.
    std::optional<std::vector<CostedSet>> entries;
    double total = 0;
    std::string space; ///< description of the space that was covered
    std::int64_t states = 0;
};

/// Returns the best plan of a window. A* searches all connected op sets and all useful choices of retained
/// tensors, with recomputation and in any order. Tilings: those of the pool with `Quick` effort, else all.
[[nodiscard]] ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                                       TilingEffort effort, const ExactLimits& limits);

} // namespace tilewright
