// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/machine_lenses.h"
#include "lower/workload.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tilewright::cli {

/// What every verb lowers a workload with: the machine (docs/rules/workload.md 2) and the free dimensions of
/// an ONNX model (6.2).
struct WorkloadArguments
{
    std::vector<std::string> machine; ///< files or names of presets
    std::vector<std::string> dims;    ///< "NAME=VALUE"

    /// Adds --machine and --dim; gives the former, so that a verb can say which older ones it excludes.
    CLI::Option* addTo(CLI::App& verb);
    [[nodiscard]] bool given() const noexcept { return !machine.empty(); }
    /// The machine that was named, else the preset edge.
    [[nodiscard]] Result<Machine> load() const;
    /// The workload of any kind in a file.
    [[nodiscard]] Result<lower::Workload> read(const std::string& file) const;
};

/// Is the file a problem, or one that only the reader of problems has a sentence for?
[[nodiscard]] bool isProblemFile(const std::string& file);

/// The problem of a workload file of any kind: one that is a problem stands as it is unless a machine is
/// named.
[[nodiscard]] Result<ProblemPtr> problemOf(const std::string& file, const WorkloadArguments& machine);

/// Any workload lowered to the machine.
struct LoweredFile
{
    lower::Workload workload;
    Machine machine;
    lower::LoweredProblem lowered;
};
[[nodiscard]] Result<LoweredFile> lowerFile(const std::string& file, const WorkloadArguments& machine);

/// A product of a network by the name of an operator; "NAME:2" is the second one of an operator that has
/// several (attention). The Error says which there are.
[[nodiscard]] Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered,
                                                    const std::string& name);

/// What became of the model: totals, MACs by type, the ten largest of what is not there as it is in the
/// model.
void printLowering(const lower::LoweringReport& report);

} // namespace tilewright::cli
