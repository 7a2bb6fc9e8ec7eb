// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/machine_lenses.h"
#include "lower/npu_model.h"
#include "lower/workload.h"
#include "mapping/method.h"
#include "rules/rules.h"
#include "schedule/schedule.h"

#include <memory>

namespace tilewright::lower {

/// One model on one machine: what every lens of the window takes its workload and its hardware from
/// (docs/rules/workload.md). Immutable.
struct ModelOnMachine
{
    std::shared_ptr<const Workload> workload; ///< the file
    Machine machine;
    LoweredProblem lowered;
    /// The lowered problem. That of a problem file has the file's tensors and ops under their ids, with the
    /// hardware and the costs of the machine, so that schedules of the file are schedules of it.
    ProblemPtr problem;

    [[nodiscard]] const model::Model& model() const noexcept { return workload->model; }
    /// The operator that an op of the problem belongs to.
    [[nodiscard]] OperatorId operatorOf(OpId op) const { return lowered.source[op.index()]; }
    /// The ops of the problem that an operator has become, in their order.
    [[nodiscard]] std::vector<OpId> opsOf(OperatorId op) const;
};
using ModelOnMachinePtr = std::shared_ptr<const ModelOnMachine>;

/// The Error names what of the workload is no model, or the operator that cannot be lowered.
[[nodiscard]] Result<ModelOnMachinePtr> putOnMachine(std::shared_ptr<const Workload> workload,
                                                     const Machine& machine);

/// The same ops on the same tensors, of whatever size and cost: schedules of one are schedules of the other.
[[nodiscard]] bool sameGraph(const Problem& a, const Problem& b);

/// The machine of a problem that stands as it is: an array of its native size, its fast memory as scratchpad
/// of elements of 2 bytes, its bandwidth with one unit of time as a cycle of 1 GHz.
[[nodiscard]] Result<Machine> machineOf(const Problem& problem);

/// The MatMul with the most multiply-accumulates among ops; nothing when none multiplies.
[[nodiscard]] std::optional<OpId> largestProduct(const Problem& problem, std::span<const OpId> ops);

/// The layer of the Mapping lens that an op stands for: a convolution with its loops, else the product
/// itself. The Error says why an op is none.
[[nodiscard]] Result<mapping::Layer> layerOf(const ModelOnMachine& model, OpId op);
[[nodiscard]] Result<mapping::Layer> layerOf(const Problem& problem, OpId op);

/// The tile of a method at a level as rows, columns and depth of the product that its layer is lowered to:
/// what one fill of the register files of all PEs, or of the scratchpad, computes. [w, h, k].
[[nodiscard]] Granularity tileOf(const mapping::LoopNest& nest, const mapping::Method& method,
                                 mapping::Level level);

/// The model as one of the NPU lens: the file itself where it is one, with elements of the machine's size,
/// else lowered.
[[nodiscard]] Result<LoweredNpu> npuOf(const Workload& workload, const Machine& machine);
/// The same, with the nodes of the lowered problem where the file itself is taken.
[[nodiscard]] Result<LoweredNpu> npuOf(const ModelOnMachine& model);

/// The NPU's tiles of a schedule.
struct ScheduledTiling
{
    std::vector<npu::OpTiling> tiling; ///< one an operator of the NPU's model
    std::size_t scheduled = 0;         ///< products and convolutions that are cut as the schedule cuts them
    std::size_t cut = 0; ///< of these: too large for a core with two sets of operands, made smaller
};
/// Products take the granularity of the subgraph that computes them, unless the file asks for a tile, and so
/// do convolutions where its runs are boxes of their output; other operators keep the NPU's own rule
/// (docs/rules/npu.md 2.6, 2.9).
[[nodiscard]] ScheduledTiling tilingOf(const LoweredNpu& npu, const ModelOnMachine& model,
                                       const Schedule& schedule, const Rules& rules);

} // namespace tilewright::lower
