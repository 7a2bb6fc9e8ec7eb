// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/workload.h"

#include <string>

namespace tilewright::verbs {

/// A problem, and what tells a person which hardware an answer about it holds on.
struct ProblemOnHardware
{
    ProblemPtr problem;
    /// What a schedule file of it says of the machine: nothing where the problem's own file has it.
    lower::ScheduleTarget target;
    std::string text; ///< "edge, as none was named: 524 288 elements of fast memory, ..."
};

/// What the file of a schedule asks for, and its name in messages.
struct TargetOfFile
{
    lower::ScheduleTarget target;
    std::string file;
};

/// The problem on the machine that was named (`named`, as it was written); else on the one that a schedule
/// of it was made for; else as it stands, or a model on the preset edge (docs/rules/workload.md 1).
[[nodiscard]] Result<ProblemOnHardware> problemOnHardware(const WorkloadCall& call, const std::string& named,
                                                          const TargetOfFile& schedule = {});

/// A problem that stands as it is, on the hardware that a schedule of it names, else on its own
/// (docs/rules/sweep.md 6.8).
[[nodiscard]] Result<ProblemOnHardware> problemAsItStands(const ProblemPtr& problem,
                                                          const TargetOfFile& schedule = {});

/// The problem of a workload of any kind, whose files are read where they are only named: one that is a
/// problem stands as it is unless a machine is named, there or in the schedule.
[[nodiscard]] Result<ProblemOnHardware> readProblem(WorkloadCall& call, const TargetOfFile& schedule = {});

} // namespace tilewright::verbs
