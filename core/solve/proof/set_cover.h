// SPDX-License-Identifier: GPL-3.0-or-later
// The set-cover bound, and the higher one of it and the quick bound.
#pragma once

#include "eval/lower_bound.h"
#include "solve/plan/solve_options.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

/// A group of ops in the solution of a set-cover relaxation, i.e. a column of the master problem.
struct PricedGroup
{
    std::vector<OpId> ops;
    /// Lower bound of the latency if the ops run as one subgraph. The prices of the ops add up to at most
    /// this bound.
    double least = 0;
    /// Value of the column in the solution of the relaxation; above 1 if it stands for several similar
    /// groups.
    double share = 0;
};

/// A lower bound on the latency of every valid schedule, by dual prices of a set-cover relaxation. Each
/// requirement of a schedule (an op runs, a result reaches its reader) has a price. For no subgraph does the
/// sum of its prices exceed its latency (docs/rules/bound.md).
struct SetCoverBound
{
    double value = 0;
    std::vector<double> prices;      ///< price of each op; they add up to the value
    std::vector<PricedGroup> groups; ///< groups in the solution of the relaxation, most expensive first
    std::size_t sets = 0;            ///< number of op sets that were columns
    bool best = false;               ///< true if no other prices give a higher bound
};

struct SetCoverLimits
{
    double seconds = 1;         ///< approximate time limit
    std::size_t sets = 200'000; ///< maximum number of columns
    std::size_t threads = 1;    ///< number of threads; 0 = all hardware threads
    std::function<bool()> keepGoing;
    std::size_t opsPerGroup =
        200; ///< maximum number of ops in a group of components that are priced together
    std::size_t opsWithOwnPrices = 200; ///< in groups with more ops than this, similar ops share their prices
};

/// Computes the set-cover bound. Subgraphs are not listed; overpriced ones are found by the pricing problem
/// (docs/rules/bound.md 4). The result is 0 if the time is too short or the cost model does not support the
/// rules.
[[nodiscard]] SetCoverBound setCoverBound(const Problem& problem, const Rules& rules,
                                          const SetCoverLimits& limits);

/// Returns the higher of the quick bound and the set-cover bound (docs/rules/bound.md). The parts of the
/// set-cover bound are the groups of ops in the solution of the relaxation; they add up to it.
[[nodiscard]] LowerBound strongBound(const Problem& problem, const Rules& rules,
                                     const SetCoverLimits& limits);

/// Returns the higher of `quick` and a set-cover bound.
[[nodiscard]] LowerBound boundOfGroups(LowerBound quick, const Problem& problem, const SetCoverBound& sets);

/// Returns the description of what is proven for a latency that equals its lower bound.
[[nodiscard]] std::string provenByBound();

/// Raises a bound to `value`, which a search has proven; the difference is added as one more part.
void raiseBound(LowerBound& bound, const Problem& problem, double value);

/// Raises the lower bound of a result, and marks the result as optimal if its latency equals the bound.
void raiseBound(SolveResult& result, double lowerBound);

} // namespace tilewright
