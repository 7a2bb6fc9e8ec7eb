// SPDX-License-Identifier: GPL-3.0-or-later
// What a constraint of a search costs (docs/rules/constraints.md 4).
#pragma once

#include "base/table.h"

#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// The best value that a search has found, and a lower bound of all values that it could find.
struct BoundedValue
{
    double value = 0;
    double bound = 0; ///< equals `value` if that is proven to be the least
};

/// The cost of a constraint: the best value with all constraints, minus the best value without this one.
struct ConstraintCost
{
    std::string text;   ///< text of the constraint
    double without = 0; ///< best value found without the constraint
    double cost = 0;    ///< difference of the two values found
    double least = 0;   ///< proven lower bound of the difference of the two optima
    double most = 0;    ///< proven upper bound of this difference
    /// Description of the schedules or mappings that the proofs cover; empty: all of them.
    std::string space;

    [[nodiscard]] bool isExact() const noexcept { return least == most; }
    /// How certain `cost` is. "exactly": both values are proven optimal. "at least": the best value with all
    /// constraints is proven, but a better one without this constraint may exist. "at most": the reverse.
    /// "about": neither value is proven.
    [[nodiscard]] std::string_view certainty() const noexcept;
};

/// Computes the cost of a constraint. Requires that the value of `without` is at most that of `with`. The
/// search without the constraint ensures this by starting from the result found with it.
[[nodiscard]] ConstraintCost constraintCost(std::string text, const BoundedValue& with,
                                            const BoundedValue& without);

/// Returns a table with a row for each constraint: its text, the best value without it, its cost, and how
/// certain the cost is.
[[nodiscard]] Table constraintCostTable(std::span<const ConstraintCost> costs, const std::string& value);

} // namespace tilewright
