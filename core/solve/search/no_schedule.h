// SPDX-License-Identifier: GPL-3.0-or-later
// Why a problem has no valid schedule under the options of a run (docs/rules/schedule.md R10.5).
#pragma once

#include "base/exclusion.h"
#include "solve/plan/solve_options.h"

#include <optional>

namespace tilewright {

/// The smallest set of limits that excludes every valid schedule: of the capacity, the locked subgraphs of
/// the start schedule and the rule switches that restrict subgraphs. Nothing if a schedule exists, or if that
/// is too much to settle.
[[nodiscard]] std::optional<Exclusion> whyNoSchedule(const Problem& problem, const SolveOptions& options);

/// The error for a run that has found no schedule, with the reason if it is known.
[[nodiscard]] Error noScheduleError(const Problem& problem, const SolveOptions& options);

} // namespace tilewright
