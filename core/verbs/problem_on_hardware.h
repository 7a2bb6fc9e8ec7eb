// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/workload.h"

#include <string>

namespace tilewright::verbs {

/// A problem, and the hardware on which an answer about it holds.
struct ProblemOnHardware
{
    ProblemPtr problem;
    /// The machine or hardware that a schedule file of this problem has to name; empty if the hardware is the
    /// problem's own.
    lower::ScheduleTarget target;
    /// The hardware in words: "edge, as none was named: 524 288 elements of fast memory, ..."
    std::string text;
};

/// The machine or hardware that a schedule file names, and the name of this file for messages.
struct TargetOfFile
{
    lower::ScheduleTarget target;
    std::string file;
};

/// Puts the workload of a call on a machine: on the one that the call names (`named` is its text), else on
/// the one that the schedule file names. Without both, a problem keeps its hardware, and a model is put on
/// the preset edge (docs/rules/workload.md 1).
[[nodiscard]] Result<ProblemOnHardware> problemOnHardware(const WorkloadCall& call, const std::string& named,
                                                          const TargetOfFile& schedule = {});

/// Keeps the ops of a problem and puts it on the hardware that the schedule file names, else on its own
/// (docs/rules/sweep.md 6.8).
[[nodiscard]] Result<ProblemOnHardware> problemAsItStands(const ProblemPtr& problem,
                                                          const TargetOfFile& schedule = {});

/// Reads the files that a call names, and puts its workload on a machine as problemOnHardware() does. A
/// problem keeps its hardware unless the call or the schedule file names a machine.
[[nodiscard]] Result<ProblemOnHardware> readProblem(WorkloadCall& call, const TargetOfFile& schedule = {});

} // namespace tilewright::verbs
