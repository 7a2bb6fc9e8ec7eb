// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

namespace tilewright {

enum class HardwareParameter : std::uint8_t { Capacity, Bandwidth };

/// Returns the problem with one hardware parameter multiplied (rounded, at least 1). Returns an Error if the
/// result exceeds the limits of a problem.
[[nodiscard]] Result<ProblemPtr> withHardware(const Problem& problem, HardwareParameter parameter,
                                              double factor);

} // namespace tilewright
