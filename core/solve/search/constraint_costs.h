// SPDX-License-Identifier: GPL-3.0-or-later
// What each constraint and each locked subgraph of a search costs (docs/rules/constraints.md 4).
#pragma once

#include "solve/plan/solve_options.h"

#include <cstddef>
#include <functional>
#include <string>

namespace tilewright {

/// The lock of a subgraph as a constraint: "lock of subgraph 2 (q, k)".
[[nodiscard]] std::string lockText(const Problem& problem, SubgraphId id, const Subgraph& subgraph);

/// Called before each search: how many are done, of how many, and the constraint that is left out.
using OnCostSearch = std::function<void(std::size_t done, std::size_t all, const std::string& without)>;

/// Searches again without each constraint and without the lock of each subgraph of SolveOptions::start, each
/// time from the schedule of `result` and with the limits of `options`, and fills
/// SolveResult::constraintCosts. If such a search finds a better schedule that keeps everything, that one
/// becomes the result. A stop request leaves out the constraints that are not done.
void findConstraintCosts(const Problem& problem, const SolveOptions& options, SolveResult& result,
                         const OnCostSearch& onSearch = {});

} // namespace tilewright
