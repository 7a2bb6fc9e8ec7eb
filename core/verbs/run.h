// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"
#include "verbs/schedule.h"

#include <string>

namespace tilewright::verbs {

/// Options of the run of a schedule, as tilewright-cli, Python and the window set them.
struct RunCall : ScheduleCall
{
    static constexpr std::int64_t kMostPrefetch = 1'000'000;

    std::int64_t prefetch = RunOptions().prefetch;
    std::int64_t cores = RunOptions().cores;

    [[nodiscard]] RunOptions options() const;
};
void bindOptions(OptionList& o, RunCall& call);

/// Returns the reason why the schedule cannot run: the rule that it breaks; empty if it is valid.
[[nodiscard]] std::string whyNotRun(const EvaluatedSchedule& evaluated);
/// Runs an evaluated schedule (R20) under its rules. The Error is that of runSchedule().
[[nodiscard]] Result<ScheduleRun> run(const EvaluatedSchedule& evaluated, const RunCall& call,
                                      const Progress& progress = {});
/// The document of `run --json` (docs/design.md 3.2).
[[nodiscard]] std::string runJson(const EvaluatedSchedule& evaluated, const ScheduleRun& run);

} // namespace tilewright::verbs
