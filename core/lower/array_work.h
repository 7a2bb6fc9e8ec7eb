// SPDX-License-Identifier: GPL-3.0-or-later
// What the arrays of a machine do beyond one systolic array at one multiply-accumulate a cycle
// (docs/rules/workload.md 2.1).
#pragma once

#include "lower/on_machine.h"
#include "systolic/array_timing.h"
#include "workload/fixed_array.h"

namespace tilewright::lower {

/// The array of a core if it is not a systolic one; else nullopt.
[[nodiscard]] std::optional<FixedArray> fixedArrayOf(const Machine& machine);

/// The loops of a product of the lowered problem: those of its convolution if it belongs to one, else those
/// of the product itself. A depthwise convolution has one product per channel; the result is then the work of
/// all of them.
[[nodiscard]] ArrayWork arrayWorkOf(const ModelOnMachine& model, OpId product);

/// Like gemmsOf(), with GemmLayer::use set for the arrays of the machine. Products of the same shape that the
/// arrays treat differently get separate rows.
[[nodiscard]] std::vector<GemmLayer> gemmsOnMachine(const ModelOnMachine& model);

/// The timing of a product: arrayTiming(), or what GemmLayer::use says instead.
[[nodiscard]] systolic::ArrayTiming timingOf(const GemmLayer& layer, const systolic::ArrayShape& array,
                                             const systolic::TimingOptions& options);

} // namespace tilewright::lower
