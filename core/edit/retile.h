// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/granularity_search.h"
#include "rules/rules.h"
#include "schedule/schedule.h"

#include <optional>
#include <span>

namespace tilewright {

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
