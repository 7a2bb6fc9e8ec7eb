// SPDX-License-Identifier: GPL-3.0-or-later
// Independent check of a schedule that a search has found: evaluates the whole schedule again.
#pragma once

#include "solve/plan/solve_options.h"

namespace tilewright {

struct Checked
{
    double total = 0;              ///< latency of the schedule
    std::vector<double> latencies; ///< latency of each subgraph
    double energy = 0;             ///< energy of the schedule in pJ (R17)
};
/// Evaluates a schedule by the explaining evaluator (evaluateByTrace()). A schedule with more than
/// `maxExplainedSteps` steps is evaluated by the fast evaluator (evaluate()). Returns nothing if the schedule
/// is not valid.
[[nodiscard]] std::optional<Checked> verifySchedule(const Problem& problem, const Schedule& schedule,
                                                    const Rules& rules, double maxExplainedSteps = 3e5);

/// Replaces traversal orders by raster order, the longest first, until a schedule file can list those that
/// remain. A file lists every tile of orders other than raster, up to kMaxListedTiles tiles.
void keepWritable(const Problem& problem, Schedule& schedule);

/// Checks a schedule under the options of a run, after applying keepWritable(). With SolveOptions::placeable,
/// its buffers also need addresses in fast memory (docs/rules/place.md). If there are none, the function
/// removes retained tensors from the schedule until there are. The result is empty if the schedule is not
/// valid, or if removing tensors does not help.
[[nodiscard]] std::optional<Checked> verifySchedule(const Problem& problem, Schedule& schedule,
                                                    const SolveOptions& options,
                                                    double maxExplainedSteps = 3e5);

} // namespace tilewright
