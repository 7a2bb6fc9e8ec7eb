// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <functional>

namespace tilewright {

/// Fuses pairs of subgraphs that touch a common tensor, the most profitable first, until no fusion pays.
/// `keepGoing` is called often.
[[nodiscard]] Plan fuseGreedily(SubgraphPool& pool, Plan plan, const std::function<bool()>& keepGoing);

/// Makes a plan of single ops valid that cannot be settled because some op fits at no granularity: one with
/// too many inputs may fit together with the ops that make some of them. If that fails and `exactNodes` > 0
/// (at most 16 ops, none locked), searches all plans, up to so many states: when that finds none, and
/// `keepGoing` was never false, there is no valid plan.
[[nodiscard]] bool fuseToFit(SubgraphPool& pool, Plan& plan, std::size_t exactNodes,
                             const std::function<bool()>& keepGoing);

} // namespace tilewright
