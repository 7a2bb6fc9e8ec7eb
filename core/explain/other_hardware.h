// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

namespace tilewright {

enum class HardwareParameter : std::uint8_t { Capacity, Bandwidth };

/// The problem with one hardware parameter multiplied (rounded, at least 1). Errors when the result leaves
/// the limits of a problem.
[[nodiscard]] Result<ProblemPtr> withHardware(const Problem& problem, HardwareParameter parameter,
                                              double factor);

} // namespace tilewright
