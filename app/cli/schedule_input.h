// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/choose_rules.h"
#include "rule_arguments.h"
#include "schedule/schedule_json.h"
#include "workload_input.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tilewright::cli {

/// The arguments that `check` and `evaluate` share.
struct ScheduleArguments
{
    std::string problem;
    std::string schedule;
    WorkloadArguments machine;
    RuleArguments rules;
    bool json = false;

    void addTo(CLI::App& verb);
};

/// A schedule with its problem, evaluated as the arguments say.
struct EvaluatedSchedule
{
    ProblemPtr problem;
    LoadedSchedule loaded;
    RulesChoice rules;
    Evaluation evaluation; ///< with FORMAT, GRANULARITY or RETAIN issues of the file only these
};
[[nodiscard]] Result<EvaluatedSchedule> evaluateFiles(const ScheduleArguments& arguments);

} // namespace tilewright::cli
