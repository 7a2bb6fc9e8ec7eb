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

/// Computes what each constraint and each lock costs, and fills SolveResult::constraintCosts. For each
/// constraint, and for the lock of each subgraph of SolveOptions::start, the search runs again without it,
/// from the schedule of `result` and with the limits of `options`. If such a search finds a better schedule
/// that satisfies all constraints and locks, this schedule becomes the result. After a stop request, the
/// costs of the remaining constraints are left out.
void findConstraintCosts(const Problem& problem, const SolveOptions& options, SolveResult& result,
                         const OnCostSearch& onSearch = {});

} // namespace tilewright
