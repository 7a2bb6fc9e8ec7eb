// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/master_problem.h"

#include <functional>
#include <span>

namespace tilewright {

struct CombineOptions
{
    std::size_t width = 1000; ///< of the beam: states kept after each subgraph
    double limit = 0;         ///< latency that plans have to be below
    std::size_t plans = 1;    ///< the best so many of them are returned
    const PlanPrefix* prefix =
        nullptr; ///< how plans begin, as the master's prices assume; null: as its fixed parts
    /// Columns of a known plan after the prefix, as far as the master knows them. Their states always stay in
    /// the beam; the plan itself is not returned.
    std::span<const CostedSet> guide = {};
    std::function<bool()> keepGoing = [] { return true; };
    /// States that CombinedColumns::ahead must not end in.
    std::function<bool(const PlanState&)> isVisited = [](const PlanState&) { return false; };
};

/// Result of a beam search for plans made of known columns, one after the other, in an order in which all
/// that is read is there. The beam keeps the states with the least latency so far plus the dual prices of
/// what is left to do.
struct CombinedColumns
{
    std::vector<Plan> plans; ///< the best first, not settled
    /// Where there are no plans: the first columns, after the prefix, of the most promising ones.
    std::vector<std::vector<CostedSet>> ahead;
};
[[nodiscard]] CombinedColumns combineColumns(const MasterProblem& master, const CombineOptions& options);

} // namespace tilewright
