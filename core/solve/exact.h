// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan.h"

#include <functional>
#include <optional>
#include <string>

namespace tilewright {

struct ExactLimits
{
    std::function<bool()> keepGoing; ///< asked often
    double upperBound =
        std::numeric_limits<double>::infinity(); ///< plans that cost as much are not looked for
};

struct ExactResult
{
    bool finished = false;    ///< the space was covered
    std::optional<Plan> plan; ///< the optimum; nothing when upperBound could not be beaten
    std::string space;        ///< what was covered, in words
    std::int64_t states = 0;
};

/// Shortest path over the states (materialised tensors, resident tensors) of R3: every connected op set that
/// can run next, with every useful choice of retained tensors, recomputation and any order included.
[[nodiscard]] ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, TilingEffort effort,
                                       const ExactLimits& limits);

} // namespace tilewright
