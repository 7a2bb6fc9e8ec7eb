// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/choose_rules.h"
#include "schedule/schedule_json.h"
#include "snapshot/snapshot.h"
#include "verbs/problem_on_hardware.h"

#include <string>
#include <vector>

namespace tilewright::verbs {

/// A rule set and switches on top of it.
struct RulesCall
{
    std::string set = "final";
    std::vector<std::string> switches; ///< "NAME=VALUE"
    bool byFile = false; ///< `auto` is a rule set, too: the one that the latencies of a file agree with
    std::optional<Rules> value; ///< instead of both

    [[nodiscard]] static RulesCall ofFile() { return {"auto", {}, true, {}}; }
    [[nodiscard]] Status apply(Rules& rules) const; ///< the switches
    [[nodiscard]] Result<Rules> rules() const;      ///< not for `auto`
};
/// --rules and --set.
void bindOptions(OptionList& o, RulesCall& call);

/// A schedule of a problem, and the rules that it is evaluated under.
struct ScheduleCall
{
    WorkloadCall workload;
    std::string schedule; ///< file
    RulesCall rules = RulesCall::ofFile();
};
void bindOptions(OptionList& o, ScheduleCall& call);

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

/// With what a person is told about the hardware.
struct EvaluatedFiles : EvaluatedSchedule
{
    std::string hardware;      ///< which it was evaluated on
    bool onOwnHardware = true; ///< that of the problem's file
};
/// The schedule in its file, evaluated on the machine that the call names, else on the one that the file
/// names.
[[nodiscard]] Result<EvaluatedFiles> evaluateFiles(ScheduleCall& call);

[[nodiscard]] EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules);
/// With lower bound and total on the array, as the documents tell them.
[[nodiscard]] Snapshot snapshotOf(const EvaluatedSchedule& evaluated);

/// Why it cannot be placed; empty when it can.
[[nodiscard]] std::string whyNotPlaced(const EvaluatedSchedule& evaluated);
/// The schedule as one to start from; the Error is the file's first issue.
[[nodiscard]] Result<Schedule> startOf(LoadedSchedule loaded, const std::string& file);

} // namespace tilewright::verbs
