// SPDX-License-Identifier: GPL-3.0-or-later
// Models on a machine: one for all lenses, or two side by side.
#pragma once

#include "lower/machine_lenses.h"
#include "lower/npu_model.h"
#include "lower/workload.h"
#include "mapping/method.h"
#include "model/compare_models.h"
#include "schedule/schedule.h"
#include "workload/rules.h"

#include <memory>

namespace tilewright::lower {

/// One model on one machine, from which every lens of the window gets its workload and its hardware
/// (docs/rules/workload.md). Immutable.
struct ModelOnMachine
{
    std::shared_ptr<const Workload> workload; ///< content of the workload file
    Machine machine;
    LoweredProblem lowered;
    /// The lowered problem. If the workload is a problem file, it has the tensors and ops of the file with
    /// the same ids, and the hardware and costs of the machine. Schedules for the file are therefore
    /// schedules for it.
    ProblemPtr problem;

    [[nodiscard]] const model::Model& model() const noexcept { return workload->model; }
    /// Returns the operator to which an op of the problem belongs.
    [[nodiscard]] OperatorId operatorOf(OpId op) const { return lowered.source[op.index()]; }
    /// Returns the ops of an operator, in the order of the problem.
    [[nodiscard]] std::vector<OpId> opsOf(OperatorId op) const;
};
using ModelOnMachinePtr = std::shared_ptr<const ModelOnMachine>;

/// Lowers a workload for a machine. The Error names the reason why the workload is not a model, or the
/// operator that cannot be lowered.
[[nodiscard]] Result<ModelOnMachinePtr> putOnMachine(std::shared_ptr<const Workload> workload,
                                                     const Machine& machine);

/// True if both problems have the same ops on the same tensors, with any sizes and costs. Schedules of one
/// are then schedules of the other.
[[nodiscard]] bool sameGraph(const Problem& a, const Problem& b);

/// Returns a machine with the hardware of a problem: an array of its native size, a scratchpad of the size of
/// its fast memory (elements of 2 bytes), and its bandwidth (a unit of time is a cycle at 1 GHz).
[[nodiscard]] Result<Machine> machineOf(const Problem& problem);

/// Returns the MatMul with the most multiply-accumulates among `ops`; empty if there is no MatMul.
[[nodiscard]] std::optional<OpId> largestProduct(const Problem& problem, std::span<const OpId> ops);

/// Returns the layer of the Mapping lens for an op: the convolution to which it belongs, else the product
/// itself. The Error says why the op is neither.
[[nodiscard]] Result<mapping::Layer> layerOf(const ModelOnMachine& model, OpId op);
[[nodiscard]] Result<mapping::Layer> layerOf(const Problem& problem, OpId op);

/// Returns the tile of a method at a level as a granularity [w, h, k] of the product to which the layer is
/// lowered: the part that is computed from one fill of the scratchpad, or of the register files of all PEs.
[[nodiscard]] Granularity tileOf(const mapping::LoopNest& nest, const mapping::Method& method,
                                 mapping::Level level);

/// Returns the model for the NPU lens. If the file is an NPU model, this is the file itself with elements of
/// the machine's size. Other models are lowered.
[[nodiscard]] Result<LoweredNpu> npuOf(const Workload& workload, const Machine& machine);
/// Like npuOf() above, for a model that is already on a machine. If the file itself is used, the node reports
/// are those of the lowered problem.
[[nodiscard]] Result<LoweredNpu> npuOf(const ModelOnMachine& model);

/// The comparison of two models on one machine (docs/rules/workload.md 6.6).
struct ModelsOnMachine
{
    std::array<ModelOnMachinePtr, 2> models; ///< the models before and after the change
    model::ModelComparison comparison;
    /// Cycles of each of comparison.operators in both models; 0 if the model does not have the operator.
    std::vector<std::array<double, 2>> cycles;
    std::array<double, 2> totalCycles{};

    [[nodiscard]] const model::Operator& operatorOf(std::size_t side, OperatorId op) const
    {
        return models[side]->model().operators[op];
    }
};
using ModelsOnMachinePtr = std::shared_ptr<const ModelsOnMachine>;

/// Returns, for each operator of the model, the cycles of its ops in the start schedule.
[[nodiscard]] std::vector<double> startCycles(const ModelOnMachine& model);

/// Compares two models. Both must have been lowered for the same machine.
[[nodiscard]] ModelsOnMachine compareOnMachine(ModelOnMachinePtr before, ModelOnMachinePtr after);

/// Returns the comparison as one JSON document.
[[nodiscard]] std::string comparisonJson(const ModelsOnMachine& models);
/// Returns the comparison as CSV: a row for each operator, and a total.
[[nodiscard]] std::string comparisonCsv(const ModelsOnMachine& models);

} // namespace tilewright::lower
