// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/choose_rules.h"
#include "schedule/schedule_json.h"
#include "snapshot/snapshot.h"

#include <string>

namespace tilewright::verbs {

/// A schedule with its problem, evaluated.
struct EvaluatedSchedule
{
    ProblemPtr problem;
    LoadedSchedule loaded;
    RulesChoice rules;
    Evaluation evaluation; ///< with FORMAT, GRANULARITY or RETAIN issues of the file only these
};

/// The rule set `auto`: the one that the latencies in the file agree with.
[[nodiscard]] RulesChoice rulesOfFile(const Problem& problem, const LoadedSchedule& loaded);
/// `final` or `seed`. The Error says that it is neither.
[[nodiscard]] Result<RulesChoice> rulesNamed(const std::string& set);

[[nodiscard]] EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules);
/// With lower bound and total on the array, as the documents tell them.
[[nodiscard]] Snapshot snapshotOf(const EvaluatedSchedule& evaluated);

/// Why it cannot be placed; empty when it can.
[[nodiscard]] std::string whyNotPlaced(const EvaluatedSchedule& evaluated);
/// The schedule as one to start from; the Error is the file's first issue.
[[nodiscard]] Result<Schedule> startOf(LoadedSchedule loaded, const std::string& file);

} // namespace tilewright::verbs
