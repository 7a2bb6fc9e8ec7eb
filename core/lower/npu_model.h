// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/lowered.h"
#include "npu/model.h"

namespace tilewright::lower {

/// A model as one of the NPU lens (docs/rules/workload.md 5).
struct LoweredNpu
{
    npu::NpuModel model;
    std::vector<OperatorId> source; ///< per op of the NPU model: the operator it belongs to
    std::vector<NodeReport> nodes;  ///< a report for each operator
};

/// Operators that the NPU lens knows go over 1:1; the rest becomes vector work. The Error names the operator.
[[nodiscard]] Result<LoweredNpu> lowerToNpu(const model::Model& model, const Machine& machine);

} // namespace tilewright::lower
