// SPDX-License-Identifier: GPL-3.0-or-later
// What a constraint of a search costs (docs/rules/constraints.md 4).
#pragma once

#include "base/table.h"

#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// The best value that a search has found, and a lower bound of all values that it could have found.
struct BoundedValue
{
    double value = 0;
    double bound = 0; ///< equal to the value if that is proven to be the least
};

/// The best value with all constraints, minus the best one without this constraint.
struct ConstraintCost
{
    std::string text;   ///< of the constraint
    double without = 0; ///< best value found without the constraint
    double cost = 0;    ///< difference of the two values found
    double least = 0;   ///< the difference of the two optima is proven to be at least this,
    double most = 0;    ///< and at most this
    std::string space;  ///< description of what the proofs cover; empty: everything

    [[nodiscard]] bool isExact() const noexcept { return least == most; }
    /// What is known of `cost`: "exactly", "at least" (with all constraints the best is proven, without this
    /// one better ones may exist), "at most" (the reverse) or "about".
    [[nodiscard]] std::string_view certainty() const noexcept;
};

/// `without` is at most `with`, since the search without the constraint knows what was found with it.
[[nodiscard]] ConstraintCost constraintCost(std::string text, const BoundedValue& with,
                                            const BoundedValue& without);

/// A row for each constraint: its text, the best value without it, its cost, what is proven.
[[nodiscard]] Table constraintCostTable(std::span<const ConstraintCost> costs, const std::string& value);

} // namespace tilewright
