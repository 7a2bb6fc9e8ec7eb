// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <functional>
#include <optional>
#include <string>

namespace tilewright {

struct ExactLimits
{
    std::function<bool()> keepGoing; ///< asked often
    double upperBound =
        std::numeric_limits<double>::infinity(); ///< plans that cost as much are not looked for
    std::size_t maxNodes = 20'000'000;
    int maxRetained = 32; ///< tensors retained between two subgraphs
};

/// What a search with `Exhaustive` tilings covers, in words.
[[nodiscard]] std::string exactSpace();

/// A stretch of a schedule to be planned anew. The whole problem is the window of all ops.
struct ExactWindow
{
    std::vector<OpId> ops;          ///< that may run in it, in topological order; at most 16
    std::vector<char> slowBefore;   ///< by tensor: produced and in slow memory before the window
    RetainId residentBefore = 0;    ///< RES before it
    std::vector<TensorId> required; ///< to be in slow memory after it
    RetainId residentAfter = 0;     ///< RES after it
};
[[nodiscard]] ExactWindow wholeProblem(const Problem& problem);

struct ExactResult
{
    bool finished = false; ///< the space was covered
    /// The optimum; nothing when upperBound could not be beaten.
    std::optional<std::vector<CostedSet>> entries;
    double total = 0;
    std::string space; ///< what was covered, in words
    std::int64_t states = 0;
};

/// Shortest path over the states (materialised tensors, resident tensors) of R3: every connected op set that
/// can run next, with every useful choice of retained tensors, recomputation and any order included. Tilings
/// are the pool's for `Quick`, else all.
[[nodiscard]] ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                                       TilingEffort effort, const ExactLimits& limits);

} // namespace tilewright
