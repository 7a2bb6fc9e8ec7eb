// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/materialise.h"
#include "solve/plan/solve_options.h"

namespace tilewright {

/// checkSchedule() under the options of a run. With SolveOptions::placeable nothing also for a schedule whose
/// buffers are not known to have addresses (docs/rules/place.md); one that has them when it keeps less from
/// one subgraph to the next is changed so.
[[nodiscard]] std::optional<Checked> checkSchedule(const Problem& problem, Schedule& schedule,
                                                   const SolveOptions& options,
                                                   double maxExplainedSteps = 3e5);

/// Why a run has no schedule.
[[nodiscard]] Error nothingFound(const SolveOptions& options, bool locks);

} // namespace tilewright
