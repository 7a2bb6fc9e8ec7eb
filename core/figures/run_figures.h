// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the run of a schedule, by the places that `run --json` gives them.
#pragma once

#include "figures/figure.h"
#include "verbs/run.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::figures {

/// The run of a schedule as the command line and the window show it.
struct RunSubject
{
    ProblemPtr problem;
    std::shared_ptr<const ScheduleRun> run;
    std::vector<std::string> subgraphs; ///< names of the ops of each subgraph
    std::string time;                   ///< unit of times: "cycles", "units of time"
};
/// Returns the subject of a run. `unit`: the unit of times, timeUnitOf().
[[nodiscard]] RunSubject subjectOf(const verbs::EvaluatedSchedule& evaluated,
                                   std::shared_ptr<const ScheduleRun> run, std::string unit);

/// Returns the figures of a finished run.
[[nodiscard]] Figures runFigures(RunSubject subject);

} // namespace tilewright::figures
