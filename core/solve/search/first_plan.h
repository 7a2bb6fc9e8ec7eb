// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <functional>

namespace tilewright {

/// Greedy fusion: repeatedly fuses the pair of subgraphs with a common tensor that reduces the latency most,
/// until no fusion reduces it. Ends early when `keepGoing` returns false.
[[nodiscard]] Plan fuseGreedily(SubgraphPool& pool, Plan plan, const std::function<bool()>& keepGoing);

/// Repairs a plan of single ops in which some op fits at no granularity: an op with too many inputs may fit
/// when it is fused with producers of its inputs. If that fails and `exactNodes` > 0 (at most 16 ops, none
/// locked), all plans are searched, up to `exactNodes` states. If this finds no plan and `keepGoing` never
/// returned false, no valid plan exists.
[[nodiscard]] bool fuseToFit(SubgraphPool& pool, Plan& plan, std::size_t exactNodes,
                             const std::function<bool()>& keepGoing);

} // namespace tilewright
