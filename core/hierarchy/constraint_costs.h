// SPDX-License-Identifier: GPL-3.0-or-later
// What the constraints of a search cost (docs/rules/hierarchy.md 8.6).
#pragma once

#include "base/constraint_cost.h"
#include "hierarchy/search.h"

#include <string>
#include <vector>

namespace tilewright::hierarchy {

/// One constraint that is dropped in a search, and the remaining constraints.
struct Release
{
    std::string text; ///< text of the constraint
    Architecture architecture;
    Constraints constraints;
};

/// Returns a release for each limit of a factor and for each required loop order.
[[nodiscard]] std::vector<Release> releasesOf(const LoopNest& nest, const Architecture& architecture,
                                              const Constraints& constraints);

/// Searches once without each constraint, with the limits of `options`. `result` is the result of the search
/// with all constraints. It is valid without a constraint, too, so that dropping a constraint never gives a
/// worse value. Returns nothing if `result` has no mapping. After a stop request, the remaining constraints
/// are left out.
[[nodiscard]] std::vector<ConstraintCost> constraintCosts(const LoopNest& nest,
                                                          const std::vector<Release>& releases,
                                                          const SearchResult& result, Objective objective,
                                                          const SearchOptions& options);

} // namespace tilewright::hierarchy
