// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "solve/plan/solve_options.h"
#include "solve/proof/set_cover.h"

#include <string>

namespace tilewright {

/// The higher one of the quick bound and the set-cover bound (docs/rules/bound.md). The parts of the latter
/// are the groups of ops of its cheapest cover; they add up to it.
[[nodiscard]] LowerBound strongBound(const Problem& problem, const Rules& rules,
                                     const SetCoverLimits& limits);

/// The higher one of `quick` and a set-cover bound.
[[nodiscard]] LowerBound boundOfGroups(LowerBound quick, const Problem& problem, const SetCoverBound& sets);

/// What is proven of a latency that equals a lower bound, in words.
[[nodiscard]] std::string provenByBound();

/// Raises a bound to `value`, which a search has proven; one more part tells the difference.
void raiseBound(LowerBound& bound, const Problem& problem, double value);

/// Takes over a better lower bound, and that the result is optimal where it is no higher than the bound.
void raiseBound(SolveResult& result, double lowerBound);

} // namespace tilewright
