// SPDX-License-Identifier: GPL-3.0-or-later
// The check of what a search has found: it is evaluated anew as a whole schedule.
#pragma once

#include "solve/plan/solve_options.h"

namespace tilewright {

struct Checked
{
    double total = 0;              ///< latency
    std::vector<double> latencies; ///< by subgraph
};
/// Latency by the explaining evaluator, or by the fast one when the schedule has more steps than
/// `maxExplainedSteps`; nothing when the schedule is not valid.
[[nodiscard]] std::optional<Checked> verifySchedule(const Problem& problem, const Schedule& schedule,
                                                    const Rules& rules, double maxExplainedSteps = 3e5);

/// The same under the options of a run. With SolveOptions::placeable a schedule also needs addresses for its
/// buffers (docs/rules/place.md): one that gets them by retaining less is changed so, for others the result
/// is empty.
[[nodiscard]] std::optional<Checked> verifySchedule(const Problem& problem, Schedule& schedule,
                                                    const SolveOptions& options,
                                                    double maxExplainedSteps = 3e5);

/// Why a run has no schedule.
[[nodiscard]] Error nothingFound(const SolveOptions& options, bool locks);

} // namespace tilewright
