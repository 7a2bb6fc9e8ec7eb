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

/// Source of figures that follow from the configuration alone.
inline constexpr const char* kClosedForm = "closed form of the configuration";

/// Width of an element of the machine, in 1/1024 bit.
[[nodiscard]] std::int64_t elementBits(const Machine& machine);

/// The floor (lower bound) of one step of the whole model.
struct StepFloor
{
    ExplainedValue cycles, compute, memory; ///< cycles: the larger one of `compute` and `memory`
    [[nodiscard]] bool boundByMemory() const noexcept { return memory.value >= compute.value; }
};
/// Computes the floor of a step. `options` must be resolved. `cores`: number of cores of the machine's first
/// kind.
[[nodiscard]] StepFloor stepFloor(const llm::LlmConfig& config, const llm::LlmOptions& options,
                                  const Machine& machine, std::int64_t cores);

/// Cycles of the operators of a model, counted once, and counted as often as the whole model has them.
struct CyclesOfLayers
{
    double once = 0, whole = 0;
};
[[nodiscard]] CyclesOfLayers ofAllLayers(const llm::LlmScope& scope,
                                         std::span<const std::pair<OperatorId, double>> operators);

/// Distributes each cycle equally among the spans [first, second) that contain it. Returns one number per
/// span.
[[nodiscard]] std::vector<double> sharedCycles(const std::vector<std::pair<double, double>>& spans);

} // namespace tilewright::lower
