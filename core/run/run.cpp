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
    if (options.cores < 1 || options.cores > RunOptions::kMostCores)
        return refused("a schedule runs on 1 to " + formatGrouped(RunOptions::kMostCores) +
                       " cores, not on " + formatGrouped(options.cores));
    const RunNetwork& network = options.network;
    if (network.linkUnits < 0 || network.linkTime < 1 || network.links < 1)
        return refused("the network needs at least one link, and a link a rate above 0");
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

/// Upper bound of the time that several cores can add: each stretch of steps on a core may load the whole
/// fast memory again at its start, and receive as much over the network.
double longestOfCores(const Problem& problem, const Evaluation& evaluation, const RunOptions& options)
{
    const auto bandwidth = static_cast<double>(problem.bandwidthUnits());
    const double link = options.network.linkUnits > 0 ? static_cast<double>(options.network.linkUnits) /
                                                            static_cast<double>(options.network.linkTime)
                                                      : bandwidth / 2;
    const double most = static_cast<double>(problem.capacityUnits()) * (1 / bandwidth + 1 / link);
    return most * static_cast<double>(options.cores) * static_cast<double>(evaluation.subgraphs.size());
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
    const bool severalCores = options.cores > 1;
    const RunClock clock(problem, schedule, rules,
                         severalCores ? longest + longestOfCores(problem, evaluation, options) : longest,
                         severalCores ? std::optional(options.network) : std::nullopt);
    RunRecord record(out, clock, static_cast<std::size_t>(options.cores), steps);
    RunEngine engine(problem, schedule, rules, clock, options, record);
    switch (engine.run(steps, progress)) {
    case RunEngine::End::Stopped:
        return refused("stopped");
    case RunEngine::End::Stuck:
        return Error{ErrorCode::Internal, "the run came to a halt before its end", {}, {}};
    case RunEngine::End::Complete:
        break;
    }
    record.finish(engine.now(), latencies);
    return out;
}

} // namespace tilewright
