// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

namespace tilewright {

/// Recombination of two valid plans of one pool: copies the regions in which `other` is faster into `best`,
/// one by one, while the total latency falls. A region is the smallest group of subgraphs that run the same
/// ops in both plans. Returns true if `best` improved.
bool recombine(SubgraphPool& pool, PlanRepair& repair, Plan& best, const Plan& other);

} // namespace tilewright
