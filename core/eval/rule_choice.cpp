// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/rule_choice.h"

#include "base/notice.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

/// True if the reported latency agrees with the computed one (R10.2).
bool reportAgrees(double reported, double computed)
{
    return std::abs(reported - computed) <= std::max(0.01, 1e-6 * computed);
}

std::string deviationText(const std::optional<double>& reported, double computed)
{
    std::string ours = formatGrouped(computed);
    if (!reported)
        return "none is reported, " + ours + " is computed";
    std::string theirs = formatGrouped(*reported);
    if (theirs == ours) { // the two values differ only after the first decimal
        theirs = formatNumber(*reported);
        ours = formatNumber(computed);
    }
    return theirs + " is reported, " + ours + " is computed";
}

} // namespace

bool reportedLatenciesAgree(const Schedule& schedule, const Evaluation& evaluation)
{
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto& reported = schedule.subgraphs[i]->reportedLatency;
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        if (!reported || !e.structurallyValid || !reportAgrees(*reported, e.latency))
            return false;
    }
    return schedule.size() > 0;
}

std::vector<LatencyDeviation> latencyDeviations(const Schedule& schedule, const Evaluation& evaluation)
{
    std::vector<LatencyDeviation> out;
    for (std::size_t i = 0; i < std::min(schedule.size(), evaluation.subgraphs.size()); ++i) {
        const auto& reported = schedule.subgraphs[i]->reportedLatency;
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        if (e.structurallyValid && !(reported && reportAgrees(*reported, e.latency)))
            out.push_back({SubgraphId(i), reported, e.latency, deviationText(reported, e.latency)});
    }
    return out;
}

void noticeDeviations(const std::string& file, std::span<const LatencyDeviation> deviations)
{
    if (deviations.empty())
        return;
    const LatencyDeviation& first = deviations.front();
    std::string text = "of subgraph " + std::to_string(first.subgraph.index()) + ", " + first.text;
    if (deviations.size() > 1)
        text += "; " + formatGrouped(deviations.size() - 1) +
                (deviations.size() == 2 ? " other subgraph deviates" : " other subgraphs deviate");
    notice({ErrorCode::Field, std::move(text), "subgraph_latencies", file});
}

RulesChoice chooseRules(const Problem& problem, const Schedule& schedule)
{
    const auto agreesUnder = [&](const Rules& rules) {
        const Evaluation e = evaluate(problem, schedule, rules);
        return e.valid() && reportedLatenciesAgree(schedule, e);
    };
    if (schedule.rules)
        return {*schedule.rules, "the schedule states its rules"};
    const bool reported = std::ranges::any_of(
        schedule.subgraphs, [](const SubgraphPtr& s) { return s->reportedLatency.has_value(); });
    const bool own = problem.rules() != Rules::final();
    if (own && (!reported || agreesUnder(problem.rules())))
        return {problem.rules(), "those of the problem"};
    if (!reported)
        return {Rules::final(), "the file reports no latencies"};
    const bool final = agreesUnder(Rules::final());
    const bool seed = agreesUnder(Rules::seed());
    if (final && seed)
        return {Rules::final(),
                "the reported latencies agree with both contest final and contest first statement"};
    if (seed)
        return {Rules::seed(), "the reported latencies agree with contest first statement only"};
    if (final)
        return {Rules::final(), "the reported latencies agree with contest final only"};
    return {problem.rules(),
            "the reported latencies agree neither with contest final nor with contest first statement"};
}

namespace {

/// True if both issues report the same rule at the same place; numbers in the text may differ.
bool isSame(const Issue& a, const Issue& b)
{
    return a.code == b.code && a.subgraph == b.subgraph && a.op == b.op && a.tensor == b.tensor;
}

std::vector<Issue> without(const std::vector<Issue>& all, const std::vector<Issue>& known)
{
    std::vector<Issue> out;
    for (const Issue& issue : all)
        if (std::none_of(known.begin(), known.end(), [&](const Issue& k) { return isSame(k, issue); }))
            out.push_back(issue);
    return out;
}

} // namespace

std::vector<RuleEffect> ruleEffects(const Problem& problem, const Schedule& schedule,
                                    const Evaluation& evaluation, const std::stop_token& stop)
{
    std::vector<RuleEffect> out;
    std::vector<std::pair<const RuleSwitch*, std::size_t>> readings;
    for (const RuleSwitch& s : ruleSwitches())
        for (std::size_t value = 0; value < s.count; ++value)
            if (value != s.get(evaluation.rules))
                readings.emplace_back(&s, value);
    for (const auto& [rule, value] : readings) {
        if (stop.stop_requested())
            break;
        Rules rules = evaluation.rules;
        rule->set(rules, value);
        const Evaluation other = evaluate(problem, schedule, rules);
        RuleEffect effect;
        effect.rule = rule;
        effect.value = rule->names[value];
        effect.change = other.total - evaluation.total;
        effect.validBefore = evaluation.valid();
        effect.validAfter = other.valid();
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const SubgraphEvaluation& a = evaluation.subgraphs[i];
            const SubgraphEvaluation& b = other.subgraphs[i];
            if (!a.structurallyValid || !b.structurallyValid)
                continue;
            if (a.latency != b.latency || a.peakWorkingSet != b.peakWorkingSet)
                effect.parts.push_back(
                    {SubgraphId(i), b.latency - a.latency, b.peakWorkingSet - a.peakWorkingSet});
        }
        std::stable_sort(effect.parts.begin(), effect.parts.end(),
                         [](const RuleEffect::Part& a, const RuleEffect::Part& b) {
                             return std::abs(a.latencyChange) > std::abs(b.latencyChange);
                         });
        effect.appears = without(other.issues, evaluation.issues);
        effect.disappears = without(evaluation.issues, other.issues);
        out.push_back(std::move(effect));
    }
    return out;
}

} // namespace tilewright
