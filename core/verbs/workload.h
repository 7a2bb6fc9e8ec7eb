// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs without a command line: what each is asked and what it answers, for tilewright-cli and for
// Python.
#pragma once

#include "lower/on_machine.h"
#include "verbs/options.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::verbs {

/// What a verb works on: a workload of any kind, and the machine if one was named (docs/rules/workload.md 2).
struct WorkloadCall
{
    std::shared_ptr<const lower::Workload> workload;
    std::string file; ///< names the workload in messages
    std::optional<Machine> machine;

    // What readFiles() reads workload and machine from, where they are not there.
    std::vector<std::string> machines; ///< files or names of presets
    std::vector<std::string> dims;     ///< "NAME=VALUE", of an ONNX model's free dimensions

    /// What a person should know of the files that were read, a sentence each, which names the file.
    std::vector<std::string> notes;
    /// Adds a note; none if `text` is empty.
    void note(const std::string& ofFile, const std::string& text)
    {
        if (!text.empty())
            notes.push_back(ofFile + ": " + text);
    }

    [[nodiscard]] bool isNamed() const noexcept { return workload || !file.empty(); }
    [[nodiscard]] bool hasMachine() const noexcept { return machine || !machines.empty(); }
    /// The values of `dims`.
    [[nodiscard]] Result<onnx::Dimensions> dimensions() const;

    /// The machine that was named, else the preset edge.
    [[nodiscard]] Machine machineOrEdge() const;
};

/// --dim and --machine.
void bindOptions(OptionList& o, WorkloadCall& call);
/// Reads workload and machine where they are only named. `usual`: the dimensions where none are given.
/// `asProblem`: a schedule in the place of a problem is refused by the reader of problems, which names the
/// missing field.
[[nodiscard]] Status readFiles(WorkloadCall& call, const onnx::Dimensions& usual = {},
                               bool asProblem = false);

/// The workload on the machine. The Error names the file.
[[nodiscard]] Result<lower::ModelOnMachinePtr> putOnMachine(const WorkloadCall& call);

/// readFiles(), then putOnMachine().
[[nodiscard]] Result<lower::ModelOnMachinePtr> readOnMachine(WorkloadCall& call);

/// A product of a network by the name of an operator; "NAME:2" is the second one of an operator that has
/// several (attention). The Error says which there are.
[[nodiscard]] Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered,
                                                    const std::string& name);

/// The product that a verb is asked of: `gemm` as MxNxK, or the `layer` of the workload; of a workload
/// without one, whose rows count, 1x1x1. The Error names --gemm where there is neither.
[[nodiscard]] Result<systolic::Gemm> productOf(const WorkloadCall& call, const std::string& gemm,
                                               const std::string& layer);

} // namespace tilewright::verbs
