// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <vector>

namespace tilewright {

/// Returns plans that may satisfy the constraints of the pool, made from a plan of single ops and locked
/// subgraphs. Ops that have to run together are fused with all ops between them. A tensor that must always be
/// retained is either interior to a subgraph, or its readers run directly after the op that produces it.
/// Returns no plans if no constraint requires this. The plans still have to be repaired (PlanRepair) and may
/// turn out to be invalid.
[[nodiscard]] std::vector<Plan> plansForConstraints(SubgraphPool& pool, const Plan& singles);

} // namespace tilewright
