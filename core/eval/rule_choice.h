// SPDX-License-Identifier: GPL-3.0-or-later
// The rule set of a schedule of unknown origin, and the effects of other values of the rule switches.
#pragma once

#include "eval/evaluation.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// The rule set under which a schedule of unknown origin is evaluated.
struct RulesChoice
{
    Rules rules;
    std::string reason; ///< reason for the choice, one sentence for the user
};

/// R18: the rules that the schedule states; otherwise, if the latencies reported in the file agree (R10.2)
/// with exactly one of the rule sets `final` and `seed`, that one (docs/rules/schedule.md 0); otherwise those
/// of the problem.
[[nodiscard]] RulesChoice chooseRules(const Problem& problem, const Schedule& schedule);

/// Returns the rules to write into a schedule file (R18): none for rule set `final` of a problem that states
/// no rules, so that files of the contest stay as they are.
[[nodiscard]] inline std::optional<Rules> statedRules(const Problem& problem, const Rules& rules)
{
    return rules == Rules::final() && rules == problem.rules() ? std::nullopt : std::optional(rules);
}

/// R10.2: true if every subgraph has a reported latency and none differs from the computed one by more than
/// max(0.01, 1e-6 x computed).
[[nodiscard]] bool reportedLatenciesAgree(const Schedule& schedule, const Evaluation& evaluation);

/// R10.2: a latency that a schedule file reports wrongly, or does not report.
struct LatencyDeviation
{
    SubgraphId subgraph;
    std::optional<double> reported; ///< latency in the file; empty if the file has none
    double computed = 0;
    std::string text; ///< "10 is reported, 1 638.4 is computed"
};

/// R10.2: the deviations of the subgraphs that can be evaluated, in their order. Requires an evaluation of
/// this schedule on the hardware of its file.
[[nodiscard]] std::vector<LatencyDeviation> latencyDeviations(const Schedule& schedule,
                                                              const Evaluation& evaluation);

/// R10.2: reports by notice() the latencies in the file that differ from the computed ones: the first one,
/// and their number.
void noticeDeviations(const std::string& file, std::span<const LatencyDeviation> deviations);

/// The effects of another value of one rule switch on a schedule.
struct RuleEffect
{
    const RuleSwitch* rule = nullptr;
    std::string_view value; ///< value of the switch that is compared with the present one
    double change = 0; ///< change of the total latency; valid only if the schedule is valid with both values
    bool validBefore = false;
    bool validAfter = false;
    struct Part
    {
        SubgraphId subgraph;
        double latencyChange = 0;
        double peakChange = 0; ///< change of the peak working set
    };
    std::vector<Part> parts;       ///< subgraphs whose latency or working set differs, largest change first
    std::vector<Issue> appears;    ///< issues that occur only with the other value
    std::vector<Issue> disappears; ///< issues that occur only with the present value
};

/// Returns the effects of each other value of each switch, in the order of ruleSwitches(); fewer if stopped.
/// Requires `evaluation` = evaluate(problem, schedule, rules).
[[nodiscard]] std::vector<RuleEffect> ruleEffects(const Problem& problem, const Schedule& schedule,
                                                  const Evaluation& evaluation,
                                                  const std::stop_token& stop = {});

} // namespace tilewright
