// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/plan_columns.h"

#include <functional>
#include <span>

namespace tilewright {

struct CombineOptions
{
    std::size_t width = 1000;           ///< states that go on from one subgraph to the next
    double limit = 0;                   ///< plans that cost less are looked for ...
    std::size_t plans = 1;              ///< ... and the best so many of them given back
    const PlanPrefix* prefix = nullptr; ///< how they begin; what the prices are for; else as the frame does
    /// Of a plan, after the prefix: its states always go on, as far as its columns are known; not given back.
    std::span<const PlanEntry> guide = {};
    std::function<bool()> keepGoing = [] { return true; };
    /// Starts (see CombinedColumns) that are not to be given back.
    std::function<bool(const PlanState&)> isVisited = [](const PlanState&) { return false; };
};

/// Plans that are put together of known columns, one after the other, in an order in which all that is read
/// is there (a beam search; what prices say of the rest decides which states go on).
struct CombinedColumns
{
    std::vector<Plan> plans; ///< the best first, not settled
    /// Where there are none: how the most promising ones go on, some columns each.
    std::vector<std::vector<PlanColumn>> ahead;
};
[[nodiscard]] CombinedColumns combineColumns(const PlanColumns& columns, const CombineOptions& options);

} // namespace tilewright
