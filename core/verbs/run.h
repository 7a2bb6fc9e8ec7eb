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
    std::int64_t cores = RunOptions().cores; ///< 0: those of the machine

    /// The Error says that there are more cores than the machine has. `model`: null for a problem on its own
    /// hardware.
    [[nodiscard]] Result<RunOptions> options(const lower::ModelOnMachine* model) const;
};
void bindOptions(OptionList& o, RunCall& call);

/// Hardware on which a schedule can run (docs/rules/run.md 5.4).
struct RunCores
{
    std::int64_t most = 1; ///< number of cores
    RunNetwork network;    ///< between them
};
/// The cores of the machine; without a model those of the NPU lens for a problem without a machine.
[[nodiscard]] RunCores runCoresOf(const lower::ModelOnMachine* model);

/// Describes what a run on several cores leaves out: a sentence on softmax and normalisations whose rows are
/// cut into several tiles (docs/rules/run.md 5.8); empty on one core.
[[nodiscard]] std::vector<std::string> runNotes(const lower::ModelOnMachine* model, const Schedule& schedule,
                                                std::int64_t cores);

/// Returns the reason why the schedule cannot run: the rule that it breaks; empty if it is valid.
[[nodiscard]] std::string whyNotRun(const EvaluatedSchedule& evaluated);
/// Runs an evaluated schedule (R20) under its rules. `model`: as for RunCall::options(). The Error is that of
/// the options or of runSchedule().
[[nodiscard]] Result<ScheduleRun> run(const EvaluatedSchedule& evaluated, const RunCall& call,
                                      const lower::ModelOnMachine* model, const Progress& progress = {});
/// "this schedule, 9 subgraphs, 4 cores": what runs.
[[nodiscard]] std::string runTitle(const ScheduleRun& run);
/// The document of `run --json` (docs/design.md 3.2). `notes`: runNotes().
[[nodiscard]] std::string runJson(const EvaluatedSchedule& evaluated, const ScheduleRun& run,
                                  const std::vector<std::string>& notes);

} // namespace tilewright::verbs
