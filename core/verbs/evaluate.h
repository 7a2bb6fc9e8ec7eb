// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/choose_rules.h"
#include "schedule/schedule_json.h"
#include "snapshot/snapshot.h"
#include "verbs/problem_on_hardware.h"

#include <string>
#include <vector>

namespace tilewright::verbs {

/// The rules that the options --rules and --set choose: a rule set, and rule switches that differ from it.
struct RulesCall
{
    std::string set = "final";
    std::vector<std::string> switches; ///< "NAME=VALUE"
    bool byFile = false;               ///< true if rule set `auto` is legal: a schedule file is read
    std::optional<Rules> value;        ///< used instead of `set` and `switches`

    [[nodiscard]] static RulesCall ofFile() { return {"auto", {}, true, {}}; }
    [[nodiscard]] Status apply(Rules& rules) const; ///< applies `switches` to the rules
    [[nodiscard]] Result<Rules> rules() const;      ///< must not be called for rule set `auto`
};
/// Adds the options --rules and --set.
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
    Evaluation evaluation; ///< has no other issues if the file has a FORMAT, GRANULARITY or RETAIN issue
};

/// Returns the rule set for `auto`: the one that reproduces the latencies in the file.
[[nodiscard]] RulesChoice rulesOfFile(const Problem& problem, const LoadedSchedule& loaded);
/// Returns the rules of set `final` or `seed`; an Error for other names.
[[nodiscard]] Result<RulesChoice> rulesNamed(const std::string& set);

/// An evaluated schedule, with a description of the hardware for messages.
struct EvaluatedFiles : EvaluatedSchedule
{
    std::string hardware;      ///< description of the hardware of the evaluation
    bool onOwnHardware = true; ///< true if this is the hardware in the problem's file
};
/// Reads and evaluates a schedule file, on the machine that the options name, else on the one that the file
/// names.
[[nodiscard]] Result<EvaluatedFiles> evaluateFiles(ScheduleCall& call);

[[nodiscard]] EvaluatedSchedule evaluateLoaded(ProblemPtr problem, LoadedSchedule loaded, RulesChoice rules);
/// Returns a snapshot with the lower bound and the total on the array.
[[nodiscard]] Snapshot snapshotOf(const EvaluatedSchedule& evaluated);

/// Returns the reason why the schedule's buffers cannot get addresses; empty if they can.
[[nodiscard]] std::string whyNotPlaced(const EvaluatedSchedule& evaluated);
/// Returns the schedule as a start schedule. The Error is the file's first issue.
[[nodiscard]] Result<Schedule> startOf(LoadedSchedule loaded, const std::string& file);

} // namespace tilewright::verbs
