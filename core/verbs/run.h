// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/on_machine.h"
#include "run/run.h"
#include "verbs/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::verbs {

/// Options of the run of a schedule, as tilewright-cli, Python and the window set them.
struct RunCall : ScheduleCall
{
    static constexpr std::int64_t kMostPrefetch = 1'000'000;

    std::int64_t prefetch = RunOptions().prefetch;
    std::int64_t cores = RunOptions().cores; ///< number of cores; 0: all cores of the machine

    /// Converts the call to run options. Returns an Error if the call has more cores than the machine.
    /// `model`: null for a problem on its own hardware.
    [[nodiscard]] Result<RunOptions> options(const lower::ModelOnMachine* model) const;
};
void bindOptions(OptionList& o, RunCall& call);

/// Hardware on which a schedule can run (docs/rules/run.md 5.4).
struct RunCores
{
    std::int64_t most = 1; ///< largest number of cores
    RunNetwork network;    ///< network between the cores
};
/// The cores of the machine. For a problem without a machine (`model` is null), the cores of the default NPU.
[[nodiscard]] RunCores runCoresOf(const lower::ModelOnMachine* model);

/// Returns a note on what a run on several cores does not model: softmax and normalisations whose rows are
/// cut into several tiles (docs/rules/run.md 5.8). Empty on one core.
[[nodiscard]] std::vector<std::string> runNotes(const lower::ModelOnMachine* model, const Schedule& schedule,
                                                std::int64_t cores);

/// Returns the reason why the schedule cannot run, which is a rule that it breaks; empty if it is valid.
[[nodiscard]] std::string whyNotRun(const EvaluatedSchedule& evaluated);
/// Runs an evaluated schedule (R20) under its rules. `model` is as for RunCall::options(). The Error is that
/// of the options or of runSchedule().
[[nodiscard]] Result<ScheduleRun> run(const EvaluatedSchedule& evaluated, const RunCall& call,
                                      const lower::ModelOnMachine* model, const Progress& progress = {});
/// Title of a run: "this schedule, 9 subgraphs, 4 cores".
[[nodiscard]] std::string runTitle(const ScheduleRun& run);
/// The document of `run --json` (docs/design.md 3.2). `notes`: runNotes().
[[nodiscard]] std::string runJson(const EvaluatedSchedule& evaluated, const ScheduleRun& run,
                                  const std::vector<std::string>& notes);

} // namespace tilewright::verbs
