// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run.h"

#include "base/text.h"
#include "rules/check.h"
#include "run/run_engine.h"

#include <string>

namespace tilewright {

std::string_view runUnitName(RunUnit unit)
{
    switch (unit) {
    case RunUnit::Load:
        return "load";
    case RunUnit::Array:
        return "array";
    case RunUnit::Vector:
        return "vector";
    case RunUnit::Store:
        return "store";
    }
    return "";
}

std::string_view runWaitName(RunWait wait)
{
    switch (wait) {
    case RunWait::Room:
        return "room";
    case RunWait::Prefetch:
        return "prefetch";
    case RunWait::Load:
        return "load";
    case RunWait::Run:
        return "run";
    case RunWait::Store:
        return "store";
    case RunWait::Channel:
        return "channel";
    case RunWait::Nothing:
        return "nothing";
    }
    return "";
}

namespace {

Error refused(std::string message)
{
    return {ErrorCode::Refused, std::move(message), {}, {}};
}

std::optional<Error> refusal(const Evaluation& evaluation, const RunOptions& options)
{
    if (options.cores != 1)
        return refused("the run of a schedule takes place on 1 core, not on " + formatGrouped(options.cores));
    if (options.prefetch < 0)
        return refused("prefetch is " + formatGrouped(options.prefetch) + ", but must be at least 0");
    if (evaluation.rules.donation)
        return refused("a run knows no output that takes over the buffer of an input: it needs donation=no");
    if (const Issue* issue = evaluation.verdict()) {
        const std::string where =
            issue->subgraph ? "subgraph " + std::to_string(issue->subgraph->index()) + ": " : std::string();
        return refused("the schedule is not valid and cannot run: " + where + issue->text);
    }
    std::int64_t steps = 0;
    for (const SubgraphEvaluation& s : evaluation.subgraphs)
        steps = saturatingAdd(steps, s.steps);
    if (steps > options.mostSteps)
        return refused("the schedule has " + formatGrouped(steps) + " steps, more than the " +
                       formatGrouped(options.mostSteps) + " that a run takes; larger tiles have fewer");
    return {};
}

} // namespace

Result<ScheduleRun> runSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                const RunOptions& options, const Progress& progress)
{
    return runSchedule(problem, schedule, evaluate(problem, schedule, rules), options, progress);
}

Result<ScheduleRun> runSchedule(const Problem& problem, const Schedule& schedule,
                                const Evaluation& evaluation, const RunOptions& options,
                                const Progress& progress)
{
    const Rules& rules = evaluation.rules;
    if (auto error = refusal(evaluation, options))
        return *error;
    ScheduleRun out;
    out.options = options;
    out.rules = rules;
    out.latency = evaluation.total;
    out.recorded = options.mostCommands > 0;
    double longest = 0;
    double steps = 0;
    std::vector<double> latencies;
    for (const SubgraphEvaluation& s : evaluation.subgraphs) {
        longest += s.compute + s.memory;
        steps += static_cast<double>(s.steps);
        latencies.push_back(s.latency);
    }
    const RunClock clock(problem, schedule, rules, longest);
    RunRecord record(out, clock);
    RunEngine engine(problem, rules, clock, options.prefetch, record);
    MemoryState memory(problem, schedule, rules);
    std::vector<Issue> issues;
    bool stopped = false;
    bool stuck = false;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        engine.beginSubgraph(*s, memory.resident());
        traceLinkedSteps(problem, *s, memory.resident(), rules,
                         [&](const Step& step, const StepLinks& links) {
                             if (out.stepCount % 1024 == 0) {
                                 stopped = progress.stopRequested();
                                 progress.tell(static_cast<double>(out.stepCount) / steps);
                             }
                             if (!stopped)
                                 stuck = !engine.take(step, links);
                             return !stopped && !stuck;
                         });
        if (stopped)
            return refused("stopped");
        if (stuck)
            break;
        memory.execute(issues);
    }
    const std::optional<Ticks> end = stuck ? std::nullopt : engine.finish();
    if (!end)
        return Error{ErrorCode::Internal, "the run came to a halt before its end", {}, {}};
    record.finish(*end, latencies);
    return out;
}

} // namespace tilewright
