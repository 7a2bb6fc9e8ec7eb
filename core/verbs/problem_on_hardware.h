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

/// Lowers a workload for the machine that the options name (`named` is its text), else for the one that the
/// schedule file names. If neither names one, a problem keeps its hardware, and a model is lowered for the
/// preset edge (docs/rules/workload.md 1).
[[nodiscard]] Result<ProblemOnHardware> problemOnHardware(const WorkloadCall& call, const std::string& named,
                                                          const TargetOfFile& schedule = {});

/// Returns a problem with its ops unchanged, on the hardware that the schedule file names, else on its own
/// (docs/rules/sweep.md 6.8).
[[nodiscard]] Result<ProblemOnHardware> problemAsItStands(const ProblemPtr& problem,
                                                          const TargetOfFile& schedule = {});

/// Reads the files that the options name, and lowers the workload as problemOnHardware() does. A problem
/// keeps its hardware unless the options or the schedule file name a machine.
[[nodiscard]] Result<ProblemOnHardware> readProblem(WorkloadCall& call, const TargetOfFile& schedule = {});

} // namespace tilewright::verbs
