// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/explain.h"

#include "edit/fit.h"
#include "figures/schedule_figures.h"

#include <filesystem>
#include <utility>

namespace tilewright::figures {

namespace {

/// The evaluated schedule of the call, or the start schedule.
Result<verbs::EvaluatedFiles> evaluated(ExplainCall& call, const std::string& schedule)
{
    if (!schedule.empty()) {
        verbs::ScheduleCall files{call.workload, schedule, call.rules};
        return verbs::evaluateFiles(files);
    }
    auto on = verbs::readProblem(call.workload);
    if (!on)
        return on.error();
    const auto rules = call.rules.rules(*on->problem);
    if (!rules)
        return rules.error();
    LoadedSchedule start;
    start.schedule = oneOpPerSubgraph(*on->problem, *rules);
    return verbs::EvaluatedFiles{
        verbs::evaluateLoaded(on->problem, std::move(start), {*rules, "one op a subgraph"}), on->text, true,
        on->model};
}

} // namespace

void bindOptions(verbs::OptionList& o, ExplainCall& call)
{
    o.add("workload", call.workload.file, "FILE", "Problem, model or workload", o.required());
    o.add("asked", call.asked, "SCHEDULE|FIGURE",
          "File of a schedule, and the figure: subgraph.3.latency, op.NAME.utilisation, floor, …",
          o.otherwise("one op a subgraph, and the list of all figures"));
    verbs::bindOptions(o, call.workload);
    verbs::bindOptions(o, call.rules);
    o.flag("--what-if", call.whatIf, "What 10 % more of each value of the machine changes",
           o.needs(!call.asked.empty(), "a figure"));
}

Result<ExplainAnswer> explain(ExplainCall& call)
{
    if (call.asked.size() > 2)
        return Error{ErrorCode::Field, "expected a schedule and a figure, got " +
                                           std::to_string(call.asked.size()) + " words", "asked", {}};
    std::error_code failed;
    const bool named = call.asked.size() == 2 ||
                       (call.asked.size() == 1 && std::filesystem::exists(call.asked.front(), failed));
    auto files = evaluated(call, named ? call.asked.front() : std::string());
    if (!files)
        return files.error();
    if (const Issue* verdict = files->loaded.formatIssues.empty() ? nullptr : files->evaluation.verdict())
        return Error{ErrorCode::Refused, sentence(*verdict), {}, call.asked.front()};
    auto snapshot = std::make_shared<const Snapshot>(verbs::snapshotOf(*files));
    ExplainAnswer out{scheduleFigures(snapshot, files->model), {}, {}};
    if (call.asked.size() == (named ? 2U : 1U)) {
        auto figure = out.figures.find(call.asked.back());
        if (!figure)
            return figure.error();
        out.figure = *std::move(figure);
        if (call.whatIf)
            out.whatIf = whatIf(*snapshot, files->model, out.figure->address);
    }
    return out;
}

} // namespace tilewright::figures
