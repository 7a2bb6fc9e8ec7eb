// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/run.h"

namespace tilewright::verbs {

RunOptions RunCall::options() const
{
    RunOptions out;
    out.prefetch = prefetch;
    out.cores = cores;
    return out;
}

std::string whyNotRun(const EvaluatedSchedule& evaluated)
{
    const Issue* issue = evaluated.evaluation.verdict();
    return issue ? "only a valid schedule runs; " + sentence(*issue) : std::string();
}

Result<ScheduleRun> run(const EvaluatedSchedule& evaluated, const RunCall& call, const Progress& progress)
{
    return runSchedule(*evaluated.problem, evaluated.loaded.schedule, evaluated.evaluation, call.options(),
                       progress);
}

} // namespace tilewright::verbs
