// SPDX-License-Identifier: GPL-3.0-or-later
// From schedules to plans and back.
#pragma once

#include "solve/plan/plan.h"

#include <functional>

namespace tilewright {

/// The schedule of a plan, with the best tilings known (`Thorough` ones while `keepGoing` says so).
[[nodiscard]] Schedule toSchedule(SubgraphPool& pool, const Plan& plan,
                                  const std::function<bool()>& keepGoing);

/// The plan that a search starts from: that of a schedule.
struct StartPlan
{
    PortablePlan sets;
    std::vector<Granularity> granularities; ///< of each, to be tried beside those that the search finds
    std::vector<LockedSubgraph> locked;     ///< those that `lock` of the sets refers to
};
/// Subgraphs that are locked, or run no op of a `selection` that is not empty, are locked in the plan.
[[nodiscard]] StartPlan startPlan(const Schedule& schedule, const std::vector<OpId>& selection);
/// The plan in this pool, which gets the granularities as hints.
[[nodiscard]] Plan toPlan(SubgraphPool& pool, const StartPlan& start);

} // namespace tilewright
