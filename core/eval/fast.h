// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"

#include <cstdint>
#include <span>

namespace tilewright {

/// Where slices of one tensor can coincide in ways that have no closed form (for example when a product is
/// both inputs of a MatMul), the fast form walks the steps. When there are more steps than this, the result
/// is an estimate without such sharing, marked by exact = false.
inline constexpr std::int64_t kMostWalkedSteps = 2'000'000;

/// Evaluates in closed form: equal steps are computed once and multiplied, so the time does not depend on the
/// number of tiles with raster, snake, column and column snake. Equal to the explaining form. `resident` =
/// RES before the subgraph, `retain` as in Subgraph. structurallyValid is false when plan.check(), R4.6 or
/// R5.3 fails. With fewer `mostWalkedSteps` more results are estimates; with 0 no steps are walked, and a
/// tiling without an estimate counts as structurally invalid.
[[nodiscard]] SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g,
                                          const Traversal& traversal, std::span<const TensorId> resident,
                                          std::span<const TensorId> retain,
                                          std::int64_t mostWalkedSteps = kMostWalkedSteps);

/// Evaluates one subgraph in its place by the fast form.
[[nodiscard]] SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                                  std::span<const TensorId> residentBefore,
                                                  const Rules& rules);

} // namespace tilewright
