// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/choose_rules.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

bool reportedLatenciesAgree(const Schedule& schedule, const Evaluation& evaluation)
{
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto& reported = schedule.subgraphs[i]->reportedLatency;
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        if (!reported || !e.structurallyValid ||
            std::abs(*reported - e.latency) > std::max(0.01, 1e-6 * e.latency))
            return false;
    }
    return schedule.size() > 0;
}

RulesChoice chooseRules(const Problem& problem, const Schedule& schedule)
{
    const auto agrees = [&](const Rules& rules) {
        const Evaluation e = evaluate(problem, schedule, rules);
        return e.valid() && reportedLatenciesAgree(schedule, e);
    };
    const bool reported = std::ranges::any_of(
        schedule.subgraphs, [](const SubgraphPtr& s) { return s->reportedLatency.has_value(); });
    if (!reported)
        return {Rules::final(), "the file reports no latencies"};
    const bool final = agrees(Rules::final());
    const bool seed = agrees(Rules::seed());
    if (final && seed)
        return {Rules::final(), "the reported latencies agree with both the final and the earlier statement"};
    if (seed)
        return {Rules::seed(), "the reported latencies agree with the earlier statement only"};
    if (final)
        return {Rules::final(), "the reported latencies agree with the final statement only"};
    return {Rules::final(),
            "the reported latencies agree neither with the final nor with the earlier statement"};
}

} // namespace tilewright
