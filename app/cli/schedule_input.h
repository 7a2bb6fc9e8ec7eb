// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rule_arguments.h"
#include "verbs/evaluate.h"
#include "workload_input.h"

#include <string>

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

struct EvaluatedFiles : verbs::EvaluatedSchedule
{
    std::string hardware;      ///< which it was evaluated on
    bool onOwnHardware = true; ///< that of the problem's file
};
/// A schedule with its problem, evaluated as the arguments say: on the machine that they name, else on the
/// one that the schedule file names.
[[nodiscard]] Result<EvaluatedFiles> evaluateFiles(const ScheduleArguments& arguments);

} // namespace tilewright::cli
