// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <vector>

namespace tilewright {

/// Plans that may keep the constraints of the pool, made from a plan of single ops and locked subgraphs: ops
/// that belong together are fused with all ops between them, and a tensor that is always retained is interior
/// to a subgraph, or its readers follow the op that produces it. Empty without such constraints. The plans
/// are not repaired (PlanRepair) and need not be valid.
[[nodiscard]] std::vector<Plan> plansForConstraints(SubgraphPool& pool, const Plan& singles);

} // namespace tilewright
