// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs without a command line: what each is asked and what it answers, for tilewright-cli and for
// Python.
#pragma once

#include "lower/on_machine.h"

#include <memory>
#include <optional>
#include <string>

namespace tilewright::verbs {

/// What a verb works on: a workload of any kind, and the machine if one was named (docs/rules/workload.md 2).
struct WorkloadCall
{
    std::shared_ptr<const lower::Workload> workload;
    std::string file; ///< names the workload in messages
    std::optional<Machine> machine;

    /// The machine that was named, else the preset edge.
    [[nodiscard]] Machine machineOrEdge() const;
};

/// The workload on the machine. The Error names the file.
[[nodiscard]] Result<lower::ModelOnMachinePtr> putOnMachine(const WorkloadCall& call);

/// The problem of a workload: one that is a problem stands as it is unless a machine is named.
[[nodiscard]] Result<ProblemPtr> problemOf(const WorkloadCall& call);

/// A product of a network by the name of an operator; "NAME:2" is the second one of an operator that has
/// several (attention). The Error says which there are.
[[nodiscard]] Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered,
                                                    const std::string& name);

/// The product that a verb is asked of: `gemm` as MxNxK, or the `layer` of the workload; of a workload
/// without one, whose rows count, 1x1x1. The Error names --gemm where there is neither.
[[nodiscard]] Result<systolic::Gemm> productOf(const WorkloadCall& call, const std::string& gemm,
                                               const std::string& layer);

} // namespace tilewright::verbs
