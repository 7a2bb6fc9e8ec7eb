// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/lowered.h"
#include "npu/model.h"

namespace tilewright::lower {

/// A model that was converted for the NPU lens (docs/rules/workload.md 5).
struct LoweredNpu
{
    npu::NpuModel model;
    std::vector<OperatorId> source; ///< for each op of the NPU model, the operator to which it belongs
    std::vector<NodeReport> nodes;  ///< a report for each operator
};

/// Converts a model for the NPU lens. Operators of kinds that the NPU lens has are kept; the others become
/// vector work. The Error names an operator that cannot be converted.
[[nodiscard]] Result<LoweredNpu> lowerToNpu(const model::Model& model, const Machine& machine);

} // namespace tilewright::lower
