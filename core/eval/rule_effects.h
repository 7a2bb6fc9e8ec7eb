// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <stop_token>
#include <vector>

namespace tilewright {

/// The effects on a schedule of another value of one rule switch.
struct RuleEffect
{
    const RuleSwitch* rule = nullptr;
    std::string_view value; ///< the other value
    double change = 0;      ///< of the total; meaningful when the schedule is valid with both values
    bool validBefore = false;
    bool validAfter = false;
    struct Part
    {
        SubgraphId subgraph;
        double latencyChange = 0;
        std::int64_t peakChange = 0; ///< of the working set
    };
    std::vector<Part> parts;       ///< subgraphs whose cost differs, the largest change first
    std::vector<Issue> appears;    ///< rules broken only with the other value
    std::vector<Issue> disappears; ///< rules broken only with the present value
};

/// The effects of each other value of each switch, in the order of ruleSwitches(); fewer when stopped.
/// `evaluation` = evaluate(problem, schedule, rules).
[[nodiscard]] std::vector<RuleEffect> ruleEffects(const Problem& problem, const Schedule& schedule,
                                                  const Evaluation& evaluation,
                                                  const std::stop_token& stop = {});

} // namespace tilewright
