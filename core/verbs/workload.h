// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs without a command line: options and results of each verb, for tilewright-cli and for Python.
#pragma once

#include "lower/lens_coverage.h"
#include "verbs/options.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::verbs {

/// The options of a language model (docs/rules/llm.md 6). Empty members mean the defaults.
struct LanguageCall
{
    std::string phase = "prefill";
    std::optional<std::int64_t> batch, prompt, cached, tokens;
    std::string layers; ///< number of layers or "all"; empty: one layer of each kind
    std::optional<std::int64_t> chips, stages, expertChips;
    std::optional<double> expertSkew;
    std::optional<double> kvBits, weightBits, activationBits;

    /// The first option that differs from its default ("--batch"); empty if there is none.
    [[nodiscard]] std::string given() const;
    [[nodiscard]] Result<llm::LlmOptions> options() const;
};

/// The options that select a workload of any kind and a machine (docs/rules/workload.md 2).
struct WorkloadCall
{
    std::shared_ptr<const lower::Workload> workload;
    std::string file; ///< file of the workload, also used in messages
    std::optional<Machine> machine;

    // Names for readFiles(), which reads them unless `machine` and `workload` are set:
    std::vector<std::string> machines; ///< machine files, or names of presets
    std::vector<std::string> dims;     ///< free dimensions of an ONNX model: "NAME=VALUE"
    LanguageCall language;             ///< options of a language model
    bool mayBeMachine = false;         ///< true: the file of the workload may also be a machine file
    std::optional<Machine> described;  ///< machine of that file; `workload` is then not set
    /// True: a model with dropped operators whose results are needed is an Error.
    bool strict = false;

    [[nodiscard]] bool isNamed() const noexcept { return workload || !file.empty(); }
    [[nodiscard]] bool hasMachine() const noexcept { return machine || !machines.empty(); }
    /// Converts `dims` and `language` to the free dimensions of a model.
    [[nodiscard]] Result<onnx::Dimensions> dimensions() const;

    /// Returns the machine that is named, else the preset edge.
    [[nodiscard]] Machine machineOrEdge() const;
};

/// Completes an Error about the size of a memory ("capacity", "l1", "l2", "l3") or a part of the machine
/// ("machine.block_mover"): adds the file or preset that states it, which is the hierarchy, else the last
/// machine.
[[nodiscard]] Error namingMemories(Error error, const WorkloadCall& call, const std::string& hierarchyFile);

/// Issues a notice() about a file; none if `text` is empty.
void noticeOf(const std::string& file, const std::string& text);

/// Adds the option --machine.
void bindMachine(OptionList& o, WorkloadCall& call);
/// Adds the options --dim, --machine, --strict and those of language models.
void bindOptions(OptionList& o, WorkloadCall& call);
/// Reads the workload and the machine from their files, unless they are already set. `usual`: dimensions to
/// use if none are given. `asProblem`: if the file is a schedule instead of a problem, the Error is that of
/// the reader of problems, which names the missing field.
[[nodiscard]] Status readFiles(WorkloadCall& call, const onnx::Dimensions& usual = {},
                               bool asProblem = false);

/// Lowers the workload for the machine. The Error names the file.
[[nodiscard]] Result<lower::ModelOnMachinePtr> putOnMachine(const WorkloadCall& call);

/// Calls readFiles(), then putOnMachine().
[[nodiscard]] Result<lower::ModelOnMachinePtr> readOnMachine(WorkloadCall& call);

/// Note for a lens in which all elements have the width of the machine's elements; empty if the model has
/// only such elements.
[[nodiscard]] std::string oneWidthText(const lower::ModelOnMachine& model);

/// Returns sentences on what a lens does not model: operators of a workload (`nodes`, may be empty) and
/// fields of the machine.
[[nodiscard]] std::vector<std::string> lensNotes(const std::vector<lower::NodeReport>& nodes,
                                                 const Machine& machine, MachineLens lens);
/// Like lensNotes() above, with given sentences on the machine.
[[nodiscard]] std::vector<std::string> lensNotes(const std::vector<lower::NodeReport>& nodes,
                                                 const std::vector<std::string>& ofMachine);
/// Returns a sentence on the arrays of a machine that are left out if one product runs on one systolic array
/// (docs/rules/workload.md 2.1); empty if the machine has no other arrays.
[[nodiscard]] std::string oneArrayText(const Machine& machine);
/// Returns the JSON object `json` with the additional field "notes"; unchanged if there are no notes.
[[nodiscard]] std::string withNotes(const std::string& json, const std::vector<std::string>& notes);

/// Returns the product of a network that belongs to the operator `name`. "NAME:2" is the second product of an
/// operator that has several (attention). The Error lists the products.
[[nodiscard]] Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered,
                                                    const std::string& name);

/// Returns the layer of the Mapping lens that belongs to the operator `name`, with the rules of
/// productNamed().
[[nodiscard]] Result<lower::NamedLayer> layerNamed(const std::vector<lower::NamedLayer>& layers,
                                                   const std::string& name);

/// Returns the product that the options select: `gemm` ("MxNxK"), or the layer `layer` of the workload. If
/// the whole workload is selected, the result is 1x1x1, which is not used. The Error names --gemm if nothing
/// is selected.
[[nodiscard]] Result<systolic::Gemm> productOf(const WorkloadCall& call, const std::string& gemm,
                                               const std::string& layer);

/// A problem, and the hardware for which an answer about it holds.
struct ProblemOnHardware
{
    ProblemPtr problem;
    /// The machine or hardware that a schedule file of this problem must name; empty if the problem has its
    /// own hardware.
    lower::ScheduleTarget target;
    /// Text of the hardware: "edge, as none was named: 524 288 elements of fast memory, ..."
    std::string text;
    /// The model on its machine; null if the problem has its own hardware.
    lower::ModelOnMachinePtr model = {};
};

/// The machine or hardware that a schedule file names, and the name of that file for messages.
struct TargetOfFile
{
    lower::ScheduleTarget target;
    std::string file;
};

/// Lowers a workload for the machine that the options name (`named` is its text), else for the one that the
/// schedule file names. If neither names one, a problem keeps its own hardware, and a model is lowered for
/// the preset edge (docs/rules/workload.md 1).
[[nodiscard]] Result<ProblemOnHardware> problemOnHardware(const WorkloadCall& call, const std::string& named,
                                                          const TargetOfFile& schedule = {});

/// Returns a problem with unchanged ops on the hardware that the schedule file names, else on its own
/// hardware (docs/rules/sweep.md 6.8).
[[nodiscard]] Result<ProblemOnHardware> problemAsItStands(const ProblemPtr& problem,
                                                          const TargetOfFile& schedule = {});

/// Reads the files that the options name, and lowers the workload as problemOnHardware() does. A problem
/// keeps its own hardware unless the options or the schedule file name a machine.
[[nodiscard]] Result<ProblemOnHardware> readProblem(WorkloadCall& call, const TargetOfFile& schedule = {});

} // namespace tilewright::verbs
