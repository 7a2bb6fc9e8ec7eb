// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <stop_token>
#include <vector>

namespace tilewright {

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
        std::int64_t peakChange = 0; ///< change of the peak working set
    };
    std::vector<Part> parts;       ///< subgraphs whose latency or working set differs, largest change first
    std::vector<Issue> appears;    ///< issues only with the other value
    std::vector<Issue> disappears; ///< issues only with the present value
};

/// Returns the effects of each other value of each switch, in the order of ruleSwitches(); fewer if stopped.
/// Requires `evaluation` = evaluate(problem, schedule, rules).
[[nodiscard]] std::vector<RuleEffect> ruleEffects(const Problem& problem, const Schedule& schedule,
                                                  const Evaluation& evaluation,
                                                  const std::stop_token& stop = {});

} // namespace tilewright
