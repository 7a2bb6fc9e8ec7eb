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

/// Returns a description of the schedules that a search with `Exhaustive` tilings covers.
[[nodiscard]] std::string exactSpace();

/// A part of a schedule that is replanned: its ops, the state of the memories before it and the required
/// state after it.
struct ExactWindow
{
    /// ops that may run in the replanned part, in topological order; at most 16
    std::vector<OpId> ops;
    /// for each tensor: true if it is produced by an op and in slow memory before the part
    std::vector<char> slowBefore;
    RetainId residentBefore = 0;    ///< tensors in fast memory before the part
    std::vector<TensorId> required; ///< tensors that must be in slow memory after the part
    RetainId residentAfter = 0;     ///< tensors in fast memory after the part
};
/// Returns the part that consists of all ops.
[[nodiscard]] ExactWindow wholeProblem(const Problem& problem);

struct ExactResult
{
    bool finished = false; ///< true if the search covered the whole space
    /// The optimal plan; nothing if no plan is better than the upper bound.
    std::optional<std::vector<CostedSet>> entries;
    double total = 0;
    std::string space; ///< description of the schedules that the search covered
    std::int64_t states = 0;
};

/// Returns the best plan of a part of a schedule. A* searches all connected op sets in any order, all useful
/// choices of retained tensors, and recomputation. `Quick` effort uses the pool's quick tilings; otherwise
/// all tilings are searched.
[[nodiscard]] ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                                       TilingEffort effort, const ExactLimits& limits);

} // namespace tilewright
