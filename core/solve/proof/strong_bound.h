// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/lower_bound.h"
#include "solve/plan/solve_options.h"
#include "solve/proof/set_cover.h"

#include <functional>
#include <string>

namespace tilewright {

struct StrongBoundLimits
{
    double seconds = 1;      ///< about
    std::size_t threads = 1; ///< 0: as many as the machine has
    std::function<bool()> keepGoing;
};

/// The quick bound, or one that knows capacity and structure where that is higher (docs/rules/bound.md). Its
/// parts are the groups of ops that it prices; they add up to it.
[[nodiscard]] LowerBound strongBound(const Problem& problem, const Rules& rules,
                                     const StrongBoundLimits& limits);

/// The same of what was found of sets, where that is higher than `quick`.
[[nodiscard]] LowerBound boundOfGroups(LowerBound quick, const Problem& problem, const SetCoverBound& sets);

/// What is proven of a latency that equals a lower bound, in words.
[[nodiscard]] std::string provenByBound();

/// The same for what such groups take at least however they are put together: one more part.
void raiseBound(LowerBound& bound, const Problem& problem, double value);

/// Takes over a better lower bound, and that the result is optimal where it is no higher than the bound.
void raiseBound(SolveResult& result, double lowerBound);

} // namespace tilewright
