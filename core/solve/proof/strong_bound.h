// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "solve/plan/solve_options.h"
#include "solve/proof/set_cover.h"

#include <string>

namespace tilewright {

/// Returns the higher of the quick bound and the set-cover bound (docs/rules/bound.md). The parts of the
/// set-cover bound are the groups of ops in the solution of the relaxation; they add up to it.
[[nodiscard]] LowerBound strongBound(const Problem& problem, const Rules& rules,
                                     const SetCoverLimits& limits);

/// Returns the higher of `quick` and a set-cover bound.
[[nodiscard]] LowerBound boundOfGroups(LowerBound quick, const Problem& problem, const SetCoverBound& sets);

/// Returns the description of what is proven for a latency that equals its lower bound.
[[nodiscard]] std::string provenByBound();

/// Raises a bound to `value`, which a search has proven; the difference becomes one more part.
void raiseBound(LowerBound& bound, const Problem& problem, double value);

/// Raises the lower bound of a result, and marks the result as optimal if its latency equals the bound.
void raiseBound(SolveResult& result, double lowerBound);

} // namespace tilewright
