// SPDX-License-Identifier: GPL-3.0-or-later
// What the constraints of a search cost (docs/rules/hierarchy.md 8.6).
#pragma once

#include "base/constraint_cost.h"
#include "hierarchy/search.h"

#include <string>
#include <vector>

namespace tilewright::hierarchy {

/// A search that leaves one constraint out.
struct Release
{
    std::string text; ///< text of the constraint
    Architecture architecture;
    Constraints constraints;
};

/// A release for each limit of a factor and each order.
[[nodiscard]] std::vector<Release> releasesOf(const LoopNest& nest, const Architecture& architecture,
                                              const Constraints& constraints);

/// Searches once without each constraint, with the limits of `options` except its constraints. `result` is
/// the result of the search with all constraints. A result with a constraint is also valid without it, so
/// dropping a constraint never counts as worse. Returns nothing if `result` has no mapping. After a stop
/// request, the remaining constraints are left out.
[[nodiscard]] std::vector<ConstraintCost> constraintCosts(const LoopNest& nest,
                                                          const std::vector<Release>& releases,
                                                          const SearchResult& result, Objective objective,
                                                          const SearchOptions& options);

} // namespace tilewright::hierarchy
