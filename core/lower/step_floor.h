// SPDX-License-Identifier: GPL-3.0-or-later
// Cycles of a whole language model on a machine (docs/rules/llm.md 7): its floor, and those of operators that
// stand for the ones of other layers.
#pragma once

#include "explanation/explanation.h"
#include "llm/model.h"
#include "llm/work.h"
#include "model/machine.h"

#include <span>
#include <utility>
#include <vector>

namespace tilewright::lower {

/// Origin of figures that follow from the configuration alone.
inline constexpr const char* kClosedForm = "closed form of the configuration";

/// Width of an element of the machine, in 1/1024 bit.
[[nodiscard]] std::int64_t elementBits(const Machine& machine);

/// The floor of one step of the whole model.
struct StepFloor
{
    ExplainedValue cycles, compute, memory; ///< the larger one of `compute` and `memory`
    [[nodiscard]] bool boundByMemory() const noexcept { return memory.value >= compute.value; }
};
/// `options` must be resolved. `cores`: of the machine's first kind.
[[nodiscard]] StepFloor stepFloor(const llm::LlmConfig& config, const llm::LlmOptions& options,
                                  const Machine& machine, std::int64_t cores);

/// Cycles of operators as they are, and as often as the whole model has them.
struct CyclesOfLayers
{
    double once = 0, whole = 0;
};
[[nodiscard]] CyclesOfLayers ofAllLayers(const llm::LlmScope& scope,
                                         std::span<const std::pair<OperatorId, double>> operators);

/// Shares each cycle equally among the spans [first, second) that it lies in; one number a span.
[[nodiscard]] std::vector<double> sharedCycles(const std::vector<std::pair<double, double>>& spans);

} // namespace tilewright::lower
