// SPDX-License-Identifier: GPL-3.0-or-later
// Independent check of a found schedule: it is evaluated again as a whole.
#pragma once

#include "solve/plan/solve_options.h"

namespace tilewright {

struct Checked
{
    double total = 0;              ///< latency of the schedule
    std::vector<double> latencies; ///< latency of each subgraph
};
/// Evaluates a schedule by the explaining evaluator, or by the fast one if it has more than
/// `maxExplainedSteps` steps. Returns nothing if the schedule is not valid.
[[nodiscard]] std::optional<Checked> verifySchedule(const Problem& problem, const Schedule& schedule,
                                                    const Rules& rules, double maxExplainedSteps = 3e5);

/// A file lists the tiles of every order but raster, up to a limit (kMaxListedTiles): beyond it the longest
/// lists become raster.
void keepWritable(const Problem& problem, Schedule& schedule);

/// Checks a schedule under the options of a run. Orders that no file could list become raster. With
/// SolveOptions::placeable its buffers also need addresses (docs/rules/place.md): the schedule is changed to
/// retain less if that makes addresses possible, else the result is empty.
[[nodiscard]] std::optional<Checked> verifySchedule(const Problem& problem, Schedule& schedule,
                                                    const SolveOptions& options,
                                                    double maxExplainedSteps = 3e5);

/// Returns the error for a run that has found no schedule.
[[nodiscard]] Error noScheduleError(const SolveOptions& options, bool locks);

} // namespace tilewright
