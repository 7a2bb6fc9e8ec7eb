// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/master_problem.h"

#include <functional>
#include <span>

namespace tilewright {

struct CombineOptions
{
    std::size_t width = 1000; ///< beam width: number of states that are kept after each subgraph
    double limit = 0;         ///< plans must have a lower latency than this
    std::size_t plans = 1;    ///< maximum number of returned plans
    /// Subgraphs with which every plan must begin; must match MasterProblem::startFrom(). If null, the fixed
    /// prefix of the master problem is used.
    const PlanPrefix* prefix = nullptr;
    /// Columns of a known plan behind the prefix. Columns that the master problem does not contain are
    /// skipped. States on this path are never dropped from the beam, but the plan itself is not returned.
    std::span<const CostedSet> guide = {};
    std::function<bool()> keepGoing = [] { return true; };
    /// Predicate that is true for states at which no element of CombinedColumns::extensions may end.
    std::function<bool(const PlanState&)> isVisited = [](const PlanState&) { return false; };
};

/// Result of a beam search that builds plans from known columns. Columns are appended in an order in which
/// all inputs are available. The beam keeps the states with the least sum of latency so far and dual prices
/// of the remaining rows.
struct CombinedColumns
{
    std::vector<Plan> plans; ///< plans by ascending latency, not yet checked by PlanRepair
    /// If no plan was found: sequences of columns behind the prefix that lead to the most promising states.
    std::vector<std::vector<CostedSet>> extensions;
};
[[nodiscard]] CombinedColumns combineColumns(const MasterProblem& master, const CombineOptions& options);

} // namespace tilewright
