// SPDX-License-Identifier: GPL-3.0-or-later
// What no fusion can take out of fast memory (docs/rules/schedule.md R10.5).
#pragma once

#include "workload/problem.h"

#include <cstdint>

namespace tilewright {

/// Units of an element, or of an accumulated one if that is narrower.
[[nodiscard]] std::int64_t leastUnits(const Problem& problem, TensorId t);

/// The least room of tensors that cross every way from the graph inputs to an op, an element of each: a cut
/// of the graph. A step in which the op runs holds a part of such tensors, because what is not in fast memory
/// is produced in the same step from what is (R6).
[[nodiscard]] std::int64_t leastCut(const Problem& problem, OpId op);

} // namespace tilewright
