// SPDX-License-Identifier: GPL-3.0-or-later
// Why a problem has no valid schedule under the options of a run (docs/rules/schedule.md R10.5).
#pragma once

#include "base/exclusion.h"
#include "solve/plan/solve_options.h"

#include <optional>

namespace tilewright {

/// Finds a smallest set of limits that together exclude every valid schedule. Limits are the capacity, the
/// locked subgraphs of the start schedule, the rule switches that restrict subgraphs, and the constraints.
/// Returns nothing if a schedule exists, or if this cannot be decided with reasonable effort.
[[nodiscard]] std::optional<Exclusion> whyNoSchedule(const Problem& problem, const SolveOptions& options);

/// Returns the error for a search that has found no schedule, with the reason if it is known.
[[nodiscard]] Error noScheduleError(const Problem& problem, const SolveOptions& options);

} // namespace tilewright
