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
/// the native size is used. Without a MatMul, k does not change.
[[nodiscard]] Granularity legalGranularity(const SubgraphPlan& plan, const Granularity& wanted);

/// Returns the initial granularity of a new subgraph, made legal by legalGranularity(). It is the native
/// granularity; if the rules do not limit tiles and k by the native size, it is that of whole results and
/// reductions.
[[nodiscard]] Granularity startGranularity(const SubgraphPlan& plan);

/// Returns an upper bound on the working set of a step (R9.1) in elements, computed from the shape of a full
/// tile. `resident` are the resident tensors before the subgraph. core/eval computes exact values.
[[nodiscard]] std::int64_t estimateWorkingSet(const SubgraphPlan& plan, const Granularity& g,
                                              std::span<const TensorId> resident,
                                              std::span<const TensorId> retain);

/// Makes the granularities `wanted` legal and returns the largest one whose estimated working set fits into
/// fast memory. If none fits, the last one is halved, each time along the axis that saves most, until it fits
/// or cannot shrink.
[[nodiscard]] Granularity fittingGranularity(const SubgraphPlan& plan, std::span<const TensorId> resident,
                                             std::span<const TensorId> retain,
                                             std::span<const Granularity> wanted);

/// Returns the start schedule: one op per subgraph in topological order, raster order, no retained tensors.
/// The granularity is startGranularity(), halved until its estimated working set fits.
[[nodiscard]] Schedule oneOpPerSubgraph(const Problem& problem, const Rules& rules);
/// The start schedule under the rules of the problem (R18).
[[nodiscard]] inline Schedule oneOpPerSubgraph(const Problem& problem)
{
    return oneOpPerSubgraph(problem, problem.rules());
}

/// True if the schedule equals oneOpPerSubgraph() of the problem under these rules and no subgraph is locked,
/// so that nobody has edited it.
[[nodiscard]] bool isStartSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules);

/// A subgraph keeps its current granularity if its latency is at most this share above the best one found.
inline constexpr double kNearBest = 0.05;

/// Returns the granularity for a changed set of ops. It is `wanted` if that is legal, fits into fast memory
/// and is at most kNearBest slower than the best result of a quick search; else that result; empty if none
/// fits. The traversal is given (a custom order counts as raster on other grids). Takes about one millisecond
/// for a few ops, more for 20 ops; larger subgraphs get a coarser search. `share` > 1 divides the work limit
/// among `share` subgraphs.
[[nodiscard]] std::optional<Granularity>
chooseGranularity(const SubgraphPlan& plan, const Granularity& wanted, const Traversal& traversal,
                  std::span<const TensorId> resident, std::span<const TensorId> retain,
                  std::size_t share = 1);

/// The last step of every edit that changes the ops of a subgraph. Each subgraph of `after` whose set of ops
/// is not in `before` gets the granularity of chooseGranularity(). A locked subgraph keeps its granularity as
/// long as it fits. Edits themselves use shapes but no costs. The preview of a drag and the drop both call
/// this function.
[[nodiscard]] Schedule retiled(const Problem& problem, const Schedule& before, Schedule after,
                               const Rules& rules);

} // namespace tilewright
