// SPDX-License-Identifier: GPL-3.0-or-later
// The floor of a model on a machine (docs/rules/real.md R19): cycles that no lens goes below.
#pragma once

#include "explanation/explanation.h"
#include "lower/on_machine.h"

#include <optional>

namespace tilewright::lower {

/// The floor, a lower bound of the time on a number of cores. It depends on the lowered problem, the machine
/// and the number of cores, not on a schedule, a mapping or a tile.
struct Floor
{
    std::int64_t cores = 1;
    ExplainedValue cycles;     ///< the larger one of `compute` and `memory`
    ExplainedValue compute;    ///< cycles of the multiply-accumulates on all arrays
    ExplainedValue memory;     ///< cycles of the external memory for `leastBytes`
    ExplainedValue leastBytes; ///< bytes that must move: graph inputs that are read, and graph outputs
    ExplainedValue macs;       ///< multiply-accumulates of all products

    /// True if the memory needs at least as long as the arrays.
    [[nodiscard]] bool boundByMemory() const noexcept { return memory.value >= compute.value; }
};

/// True for a convolution with a kernel of 3 x 3, stride 1 and dilation 1.
[[nodiscard]] bool takesWinograd(const model::Model& model, const model::Operator& op);
/// The factor by which the array needs fewer multiply-accumulates for an operator (`array.winograd`); 1
/// unless takesWinograd().
[[nodiscard]] double winogradOf(const model::Model& model, const model::Operator& op, const Machine& machine);

/// Computes the floor of R19 for `cores` cores of the machine's first kind.
[[nodiscard]] Floor floorOf(const ModelOnMachine& model, std::int64_t cores);

/// Returns a time of the lowered problem (in its units of time) as a multiple of the floor; empty if the
/// floor is 0.
[[nodiscard]] std::optional<double> multipleOfFloor(const ModelOnMachine& model, const Floor& floor,
                                                    double time);

/// Rate of a schedule compared with the peak rate of the arrays.
struct ArrayRate
{
    double tops = 0;   ///< tera-operations per second, counting two per multiply-accumulate of the products
    double ofPeak = 0; ///< share of the peak rate of the arrays, 0 to 1
};

/// Returns the rate of a schedule that takes `time` (in units of time of the lowered problem); empty if the
/// time is 0, the model has no products or the machine has no clock.
[[nodiscard]] std::optional<ArrayRate> rateOf(const ModelOnMachine& model, const Floor& floor, double time);

/// Returns for each graph input (R1.5) the number of its elements that its readers touch; 0 for other
/// tensors. If an op reads the tensor itself, it touches all elements; else only those that its views touch
/// (R1.7, R1.8). A plain view touches as many elements as itself or its bases have, whichever is less; they
/// are counted for the largest bases. Maps whose footprints overlap are counted element by element if their
/// views have at most kMostCountedElements elements. Beyond, the largest footprint counts, which is at most
/// the exact number.
[[nodiscard]] IdVector<TensorId, std::int64_t> touchedElements(const Problem& problem);
inline constexpr std::int64_t kMostCountedElements = std::int64_t{1} << 26;

/// Returns a value of a machine with its source: a stated field with the source in the file, or the formula
/// of a derived field.
[[nodiscard]] ExplainedValue machineValue(const Machine& machine, const std::string& path, std::string name,
                                          std::string unit, double value);

} // namespace tilewright::lower
