// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"

#include <cstdint>
#include <span>

namespace tilewright {

/// Maximum number of steps that the fast evaluator simulates one by one. This is needed if slices of one
/// tensor can coincide in ways without a closed form, for example if a product is both inputs of a MatMul.
/// With more steps, the result is an estimate without such sharing, marked by exact = false.
inline constexpr std::int64_t kMostWalkedSteps = 2'000'000;

/// Evaluates a subgraph in closed form: equal steps are computed once and multiplied, so the time does not
/// depend on the number of tiles with raster, snake, column and column-snake traversals. The result equals
/// that of the explaining evaluator. `resident` = RES before the subgraph, `retain` as in Subgraph.
/// structurallyValid is false if plan.check(), R4.6 or R5.3 fails. With fewer `mostWalkedSteps` more results
/// are estimates; with 0 no steps are simulated, and a tiling without an estimate counts as structurally
/// invalid.
[[nodiscard]] SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g,
                                          const Traversal& traversal, std::span<const TensorId> resident,
                                          std::span<const TensorId> retain,
                                          std::int64_t mostWalkedSteps = kMostWalkedSteps);

/// Evaluates one subgraph at its position in the schedule by the fast evaluator.
[[nodiscard]] SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                                  std::span<const TensorId> residentBefore,
                                                  const Rules& rules);

} // namespace tilewright
