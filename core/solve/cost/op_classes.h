// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// By op: equal numbers for ops that look alike, with all that is `far` ops away from them, such as those in
/// the middle of a network of equal layers. Nothing that is computed with them may take them to be more
/// alike.
[[nodiscard]] std::vector<std::uint32_t> opClasses(const Problem& problem, int far = 6);

} // namespace tilewright
