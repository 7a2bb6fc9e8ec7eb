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
    int maxRetained = 32; ///< tensors retained between two subgraphs
};

/// What a search with `Exhaustive` tilings covers, in words.
[[nodiscard]] std::string exactSpace();

/// A stretch of a schedule to be planned anew: a window of its ops, with what is there before and needed
/// after.
struct ExactWindow
{
    std::vector<OpId> ops;          ///< those that may run in it, in topological order; at most 16
    std::vector<char> slowBefore;   ///< by tensor: produced and in slow memory before the window
    RetainId residentBefore = 0;    ///< in fast memory before it
    std::vector<TensorId> required; ///< to be in slow memory after it
    RetainId residentAfter = 0;     ///< in fast memory after it
};
/// The window of all ops.
[[nodiscard]] ExactWindow wholeProblem(const Problem& problem);

struct ExactResult
{
    bool finished = false; ///< the space was covered
    std::optional<std::vector<CostedSet>>
        entries; ///< the optimum; nothing when no plan beats the upper bound
    double total = 0;
    std::string space; ///< what was covered, in words
    std::int64_t states = 0;
};

/// The best plan of a window by A* over all connected op sets and all useful choices of retained tensors,
/// recomputation and any order included. Tilings are the pool's for `Quick`, else all.
[[nodiscard]] ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                                       TilingEffort effort, const ExactLimits& limits);

} // namespace tilewright
