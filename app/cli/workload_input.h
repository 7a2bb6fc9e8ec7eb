// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/problem_on_hardware.h"
#include "verbs/workload.h"

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

    /// The values of --dim.
    [[nodiscard]] Result<onnx::Dimensions> dimensions() const;
    /// Adds --machine and --dim; gives the former, so that a verb can say which older ones it excludes.
    CLI::Option* addTo(CLI::App& verb);
    [[nodiscard]] bool given() const noexcept { return !machine.empty(); }
    /// The machine that was named, if one was.
    [[nodiscard]] Result<std::optional<Machine>> load() const;
    /// The workload of any kind in a file, with the machine. `usual`: the dimensions where none are given.
    [[nodiscard]] Result<verbs::WorkloadCall> read(const std::string& file,
                                                   const onnx::Dimensions& usual = {}) const;
    /// The same, with no workload where no file is named.
    [[nodiscard]] Result<verbs::WorkloadCall> readIfNamed(const std::string& file) const;
};

/// The problem of a workload file of any kind: one that is a problem stands as it is unless a machine is
/// named.
/// Of a schedule of it, where there is one, the machine that it was made for holds where none is named.
[[nodiscard]] Result<verbs::ProblemOnHardware> problemOf(const std::string& file,
                                                         const WorkloadArguments& machine,
                                                         const verbs::TargetOfFile& schedule = {});

/// What became of the model: totals, MACs by type, the ten largest of what is not there as it is in the
/// model.
void printLowering(const lower::LoweringReport& report);

} // namespace tilewright::cli
