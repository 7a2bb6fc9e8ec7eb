// SPDX-License-Identifier: GPL-3.0-or-later
// Granularities that fit: the closest legal one, and new ones for subgraphs whose ops changed.
#pragma once

#include "eval/granularity_search.h"
#include "rules/subgraph_plan.h"
#include "schedule/schedule.h"
#include "workload/rules.h"

#include <optional>
#include <span>

namespace tilewright {

/// Returns the granularity closest to `wanted` that R4.1, R4.2, R4.3 and R4.7 allow for these ops and that is
/// not larger than their sinks. If the rules contradict each other (a prologue deeper than the native size),
/// the native size wins. Without a MatMul, k is unchanged.
[[nodiscard]] Granularity legalGranularity(const SubgraphPlan& plan, const Granularity& wanted);

/// Returns the initial granularity of a new subgraph, adapted by legalGranularity(): the native one, or,
/// where the rules do not limit tiles and k by the native size, whole results and reductions.
[[nodiscard]] Granularity startGranularity(const SubgraphPlan& plan);

/// Returns an upper bound on the working set of a step (R9.1), in elements, from the shapes of a full tile.
/// `resident` are the resident tensors before the subgraph. core/eval computes exact values.
[[nodiscard]] std::int64_t estimateWorkingSet(const SubgraphPlan& plan, const Granularity& g,
                                              std::span<const TensorId> resident,
                                              std::span<const TensorId> retain);

/// Returns the largest of the granularities `wanted`, made legal, whose estimated working set fits into fast
/// memory. If none fits, the last one is halved, each time along the axis that saves most, until it fits or
/// cannot shrink.
[[nodiscard]] Granularity fittingGranularity(const SubgraphPlan& plan, std::span<const TensorId> resident,
                                             std::span<const TensorId> retain,
                                             std::span<const Granularity> wanted);

/// Start schedule: one op per subgraph in topological order, raster order, nothing retained. The granularity
/// is startGranularity(), halved until its estimated working set fits.
[[nodiscard]] Schedule oneOpPerSubgraph(const Problem& problem, const Rules& rules);
/// ... under the rules of the problem (R18).
[[nodiscard]] inline Schedule oneOpPerSubgraph(const Problem& problem)
{
    return oneOpPerSubgraph(problem, problem.rules());
}

/// True if the schedule is oneOpPerSubgraph() of the problem under these rules, with no subgraph locked:
/// nobody has edited it.
[[nodiscard]] bool isStartSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules);

/// Tolerance for keeping the present granularity of a subgraph: relative latency above the best one found.
inline constexpr double kNearBest = 0.05;

/// Returns the granularity for a changed set of ops: `wanted` if it is legal, fits into fast memory and is at
/// most kNearBest slower than the best result of a quick search; otherwise that result; empty if none fits.
/// The traversal is fixed (a custom order counts as raster on other grids). Takes about one millisecond for a
/// few ops, more for 20 ops; larger subgraphs get a coarser search. `share` > 1 divides the budget among that
/// many subgraphs.
[[nodiscard]] std::optional<Granularity>
chooseGranularity(const SubgraphPlan& plan, const Granularity& wanted, const Traversal& traversal,
                  std::span<const TensorId> resident, std::span<const TensorId> retain,
                  std::size_t share = 1);

/// Last step of every edit that changes the ops of a subgraph: each subgraph of `after` whose set of ops is
/// not in `before` gets its chooseGranularity(). A locked subgraph keeps its granularity as long as it fits.
/// The edits know shapes but no costs; the preview of a drag and the drop both call this function.
[[nodiscard]] Schedule retiled(const Problem& problem, const Schedule& before, Schedule after,
                               const Rules& rules);

} // namespace tilewright
