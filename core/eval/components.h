// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <vector>

namespace tilewright {

/// Splits the ops into components so that no subgraph contains ops of two components (docs/rules/bound.md 4).
/// Each component is in topological order.
[[nodiscard]] std::vector<std::vector<OpId>> componentsOf(const Problem& problem, const Rules& rules);

} // namespace tilewright
