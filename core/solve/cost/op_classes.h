// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <vector>

namespace tilewright {

/// Returns the class of each op. Ops are in the same class if their surroundings look alike up to a distance
/// of `radius` ops, as in repeated layers of a network. Beyond this distance they may differ, so results must
/// not rely on the classes.
[[nodiscard]] std::vector<std::uint32_t> opClasses(const Problem& problem, int radius = 6);

} // namespace tilewright
