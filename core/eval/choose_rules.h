// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <string>

namespace tilewright {

/// The rule set under which a schedule of unknown origin is evaluated.
struct RulesChoice
{
    Rules rules;
    std::string reason; ///< one sentence for people
};

/// docs/rules/schedule.md 0: when the latencies reported in the file agree (R10.2) with exactly one of the
/// rule sets `final` and `seed`, that one; otherwise `final`.
[[nodiscard]] RulesChoice chooseRules(const Problem& problem, const Schedule& schedule);

/// R10.2: every subgraph has a reported latency, and none differs by more than max(0.01, 1e-6 x computed).
[[nodiscard]] bool reportedLatenciesAgree(const Schedule& schedule, const Evaluation& evaluation);

} // namespace tilewright
