// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/granularity_search.h"
#include "rules/rules.h"
#include "schedule/schedule.h"

#include <optional>
#include <span>

namespace tilewright {

/// How much slower than the best one found a granularity that a subgraph already has may be, and still be
/// kept.
inline constexpr double kNearBest = 0.05;

/// The granularity for ops that have just been put together: `wanted` when it is legal, fits into fast memory
/// and is at most kNearBest slower than the best of a quick search; else the best; nothing when none fits.
/// The traversal is given (an explicit order counts as raster for other grids than its own). About a
/// millisecond for a few ops and some for 20; larger subgraphs get a coarser search. `share` > 1 divides the
/// effort, when many subgraphs are settled at once.
[[nodiscard]] std::optional<Granularity>
settledGranularity(const SubgraphPlan& plan, const Granularity& wanted, const Traversal& traversal,
                   std::span<const TensorId> resident, std::span<const TensorId> retain,
                   std::size_t share = 1);

/// The end of every edit that changes what a subgraph computes: each subgraph of `after` whose ops none of
/// `before` has gets its settledGranularity(). A locked one keeps its granularity as long as that fits. The
/// edits themselves know shapes but no costs; what a person sees while dragging and what the drop does both
/// come from here.
[[nodiscard]] Schedule retiled(const Problem& problem, const Schedule& before, Schedule after,
                               const Rules& rules);

} // namespace tilewright
