// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>

namespace tilewright {

/// The rule set under which a schedule of unknown origin is evaluated.
struct RulesChoice
{
    Rules rules;
    std::string reason; ///< reason for the choice, one sentence for the user
};

/// docs/rules/schedule.md 0: if the latencies reported in the file agree (R10.2) with exactly one of the rule
/// sets `final` and `seed`, returns that one, otherwise `final`.
[[nodiscard]] RulesChoice chooseRules(const Problem& problem, const Schedule& schedule);

/// R10.2: true if every subgraph has a reported latency and none differs from the computed one by more than
/// max(0.01, 1e-6 x computed).
[[nodiscard]] bool reportedLatenciesAgree(const Schedule& schedule, const Evaluation& evaluation);

} // namespace tilewright
