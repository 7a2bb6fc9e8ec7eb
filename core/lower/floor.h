// SPDX-License-Identifier: GPL-3.0-or-later
// The floor of a model on a machine (docs/rules/real.md R19): cycles that no lens goes below.
#pragma once

#include "explanation/explanation.h"
#include "lower/on_machine.h"

#include <optional>

namespace tilewright::lower {

/// The floor for a number of cores. It depends on the lowered problem, the machine and the number of cores,
/// not on a schedule, a mapping or a tile.
struct Floor
{
    std::int64_t cores = 1;
    ExplainedValue cycles;     ///< the larger one of `compute` and `memory`
    ExplainedValue compute;    ///< cycles of the multiply-accumulates on all arrays
    ExplainedValue memory;     ///< cycles of the external memory for `leastBytes`
    ExplainedValue leastBytes; ///< graph inputs that are read, and graph outputs
    ExplainedValue macs;       ///< multiply-accumulates of all products

    /// True if the memory needs at least as long as the arrays.
    [[nodiscard]] bool boundByMemory() const noexcept { return memory.value >= compute.value; }
};

/// True for a convolution with a kernel of 3 x 3, stride 1 and dilation 1.
[[nodiscard]] bool takesWinograd(const model::Model& model, const model::Operator& op);
/// The factor by which the array needs fewer multiply-accumulates for an operator (`array.winograd`): 1
/// unless takesWinograd().
[[nodiscard]] double winogradOf(const model::Model& model, const model::Operator& op, const Machine& machine);

/// Computes the floor of R19 for `cores` cores of the machine's first kind.
[[nodiscard]] Floor floorOf(const ModelOnMachine& model, std::int64_t cores);

/// Returns a time of the lowered problem (in its units of time) as a multiple of the floor; empty if the
/// floor is 0.
[[nodiscard]] std::optional<double> multipleOfFloor(const ModelOnMachine& model, const Floor& floor,
                                                    double time);

/// Rate of a schedule on the arrays of a floor.
struct ArrayRate
{
    double tops = 0;   ///< tera-operations a second, two per multiply-accumulate of the products
    double ofPeak = 0; ///< share of the largest rate of the arrays, 0 to 1
};

/// Returns the rate of a schedule that takes `time` (in units of time of the lowered problem); empty if the
/// time is 0, the model has no products or the machine has no clock.
[[nodiscard]] std::optional<ArrayRate> rateOf(const ModelOnMachine& model, const Floor& floor, double time);

/// Returns, for each tensor, the number of elements of a graph input (R1.5) that its readers touch; 0 for
/// other tensors. All of them are touched if an op reads the tensor itself, else what its views touch (R1.7,
/// R1.8). A plain view touches the smaller one of itself and its bases; these elements are those of the
/// largest bases. Several maps whose footprints overlap are counted element by element, up to
/// kMostCountedElements elements of the views; beyond, the largest footprint counts, which is at most the
/// exact number.
[[nodiscard]] IdVector<TensorId, std::int64_t> touchedElements(const Problem& problem);
inline constexpr std::int64_t kMostCountedElements = std::int64_t{1} << 26;

/// Returns a value of a machine, with the field that it comes from: given, with its origin, or derived, with
/// the formula.
[[nodiscard]] ExplainedValue machineValue(const Machine& machine, const std::string& path, std::string name,
                                          std::string unit, double value);

} // namespace tilewright::lower
