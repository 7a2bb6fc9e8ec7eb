// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/evaluate.h"

#include "eval/lower_bound.h"
#include "report/format_issue.h"

namespace tilewright::verbs {

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
