// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/evaluate.h"

#include "base/file.h"
#include "eval/lower_bound.h"
#include "report/format_issue.h"

namespace tilewright::verbs {

Status RulesCall::apply(Rules& rules) const
{
    for (const std::string& setting : switches)
        if (Status status = setRule(rules, setting); !status) {
            Error error = status.error();
            error.path = "--set";
            return error;
        }
    return Unit{};
}

Result<Rules> RulesCall::rules() const
{
    Rules out = value ? *value : set == "seed" ? Rules::seed() : Rules::final();
    if (const Status status = apply(out); !status)
        return status.error();
    return out;
}

Result<EvaluatedFiles> evaluateFiles(ScheduleCall& call)
{
    const auto text = readFile(call.schedule);
    TargetOfFile made{{}, call.schedule};
    if (text) { // if not, the problem's faults come first
        auto target = lower::targetOfSchedule(*text, call.schedule);
        if (!target)
            return target.error();
        made.target = std::move(*target);
    }
    auto on = readProblem(call.workload, made);
    if (!on)
        return on.error();
    if (!text)
        return text.error();
    const Problem& problem = *on->problem;
    auto loaded = readSchedule(problem, *text, call.schedule);
    if (!loaded)
        return loaded.error();
    call.workload.note(call.schedule, lower::unknownInSchedule(loaded->schedule.extra));
    auto rules = call.rules.set == "auto" ? rulesOfFile(problem, *loaded) : rulesNamed(call.rules.set);
    if (!rules)
        return rules.error();
    if (const Status status = call.rules.apply(rules->rules); !status)
        return status.error();
    for (const std::string& setting : call.rules.switches)
        rules->reason += ", " + setting;
    const bool own = !on->target.machine && !on->target.hardware;
    return EvaluatedFiles{evaluateLoaded(std::move(on->problem), std::move(*loaded), std::move(*rules)),
                          std::move(on->text), own};
}

RulesChoice rulesOfFile(const Problem& problem, const LoadedSchedule& loaded)
{
    if (!loaded.formatIssues.empty())
        return {Rules::final(), "the file has format errors"};
    return chooseRules(problem, loaded.schedule);
}

Result<RulesChoice> rulesNamed(const std::string& set)
{
    if (set != "final" && set != "seed")
        return Error{ErrorCode::Field, "expected auto, final or seed, got \"" + set + "\"", "--rules", {}};
    return RulesChoice{set == "seed" ? Rules::seed() : Rules::final(), "given by --rules"};
}

EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules)
{
    EvaluatedSchedule out{std::move(problem), std::move(loaded), std::move(rules), {}};
    if (out.loaded.formatIssues.empty()) {
        out.evaluation = evaluate(*out.problem, out.loaded.schedule, out.rules.rules);
    } else {
        out.evaluation.rules = out.rules.rules;
        prependFormatIssues(out.evaluation, out.loaded.formatIssues);
    }
    return out;
}

Snapshot snapshotOf(const EvaluatedSchedule& evaluated)
{
    Snapshot out;
    out.problem = evaluated.problem;
    out.schedule = evaluated.loaded.schedule;
    out.evaluation = evaluated.evaluation;
    out.lowerBound = lowerBound(*evaluated.problem, evaluated.rules.rules).value;
    if (evaluated.loaded.formatIssues.empty())
        out.arrayTotal =
            evaluate(*evaluated.problem, evaluated.loaded.schedule, evaluated.rules.rules.onArray()).total;
    return out;
}

std::string whyNotPlaced(const EvaluatedSchedule& evaluated)
{
    const Issue* issue = evaluated.evaluation.verdict();
    return issue ? "only a valid schedule has items to place; " + sentence(*issue) : std::string();
}

Result<Schedule> startOf(LoadedSchedule loaded, const std::string& file)
{
    if (loaded.formatIssues.empty())
        return std::move(loaded.schedule);
    const Issue& issue = loaded.formatIssues.front();
    return Error{ErrorCode::Field, issue.text, issue.path, file};
}

} // namespace tilewright::verbs
