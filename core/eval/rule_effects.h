// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <stop_token>
#include <vector>

namespace tilewright {

/// What a schedule becomes when one rule switch is read another way.
struct RuleEffect
{
    const RuleSwitch* rule = nullptr;
    std::string_view value; ///< the other value
    double change = 0;      ///< of the total; means something when both readings are valid
    bool validBefore = false;
    bool validAfter = false;
    struct Part
    {
        SubgraphId subgraph;
        double latencyChange = 0;
        std::int64_t peakChange = 0; ///< of the working set
    };
    std::vector<Part> parts;       ///< subgraphs whose cost differs, the largest change first
    std::vector<Issue> appears;    ///< broken rules that are none now
    std::vector<Issue> disappears; ///< broken rules of now that are none then
};

/// One for each other value of each switch of ruleSwitches(), in its order; fewer when stopped. `evaluation`
/// = evaluate(problem, schedule, rules).
[[nodiscard]] std::vector<RuleEffect> ruleEffects(const Problem& problem, const Schedule& schedule,
                                                  const Evaluation& evaluation,
                                                  const std::stop_token& stop = {});

} // namespace tilewright
