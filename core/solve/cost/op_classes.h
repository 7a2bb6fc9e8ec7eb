// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// The class of each op: ops have the same class when their surroundings look alike up to `radius` ops away,
/// as in the middle of a network of equal layers. Farther away they may differ, on which no result may
/// depend.
[[nodiscard]] std::vector<std::uint32_t> opClasses(const Problem& problem, int radius = 6);

} // namespace tilewright
