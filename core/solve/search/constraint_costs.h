// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of each constraint and each lock of a subgraph: by how much the result of a search improves
// without it (docs/rules/constraints.md 4).
#pragma once

#include "solve/plan/solve_options.h"

#include <cstddef>
#include <functional>
#include <string>

namespace tilewright {

/// Returns the text for the lock of a subgraph in a list of constraints: "lock of subgraph 2 (q, k)".
[[nodiscard]] std::string lockText(const Problem& problem, SubgraphId id, const Subgraph& subgraph);

/// Callback before each search. Its arguments are the number of finished searches, the number of all
/// searches, and the text of the constraint that this search leaves out.
using OnCostSearch = std::function<void(std::size_t done, std::size_t all, const std::string& without)>;

/// Computes the cost of each constraint and each lock, and fills SolveResult::constraintCosts. For each
/// constraint, and for the lock of each subgraph of SolveOptions::start, the search runs again without it,
/// from the schedule of `result` and with the limits of `options`. If such a search finds a better schedule
/// that satisfies all constraints and locks, this schedule becomes the result. After a stop request, the
/// costs of the remaining constraints are left out.
void findConstraintCosts(const Problem& problem, const SolveOptions& options, SolveResult& result,
                         const OnCostSearch& onSearch = {});

} // namespace tilewright
