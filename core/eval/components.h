// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <vector>

namespace tilewright {

/// The ops in groups that no subgraph reaches across (docs/rules/bound.md 4), each in topological order.
[[nodiscard]] std::vector<std::vector<OpId>> componentsOf(const Problem& problem, const Rules& rules);

} // namespace tilewright
