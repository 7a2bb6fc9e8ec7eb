// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of schedules to plans and of plans to schedules.
#pragma once

#include "solve/plan/plan.h"

#include <functional>

namespace tilewright {

/// Returns the schedule of a plan with the best known tilings. While `keepGoing` returns true, thorough
/// searches look for better ones.
[[nodiscard]] Schedule toSchedule(SubgraphPool& pool, const Plan& plan,
                                  const std::function<bool()>& keepGoing);

/// The plan of a start schedule, from which a search begins.
struct StartPlan
{
    PortablePlan sets;
    /// Granularity of each set, which searches evaluate in addition to their own candidates.
    std::vector<Granularity> granularities;
    std::vector<LockedSubgraph> locked; ///< locked subgraphs; PortableSet::lock is an index into them
};
/// Converts a schedule to the start plan of a search. Locked subgraphs, and with a non-empty `selection` all
/// subgraphs that run no selected op, are locked in the plan.
[[nodiscard]] StartPlan startPlan(const Schedule& schedule, const std::vector<OpId>& selection);
/// Returns the start plan in this pool, and adds its granularities to the pool as hints.
[[nodiscard]] Plan toPlan(SubgraphPool& pool, const StartPlan& start);

} // namespace tilewright
