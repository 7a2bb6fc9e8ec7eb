// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

struct glp_prob;

namespace tilewright {

/// A linear program (GLPK) that is solved repeatedly while columns and rows are added and costs change. It
/// minimises the cost of columns x >= 0 under rows "sum of coefficient * x >= right-hand side". Each solve
/// starts from the previous basis. The dual prices are approximate, so a caller that derives a lower bound
/// has to check them against every column. An object may only be used by the thread that created it.
class IncrementalLp
{
public:
    using Column = std::size_t;
    /// A non-zero coefficient of a column.
    struct Entry
    {
        std::size_t row;
        double coefficient;
    };
    /// A non-zero coefficient of a row.
    struct RowEntry
    {
        Column column;
        double coefficient;
    };

    /// Creates a program without columns, with one row for each right-hand side.
    explicit IncrementalLp(std::span<const double> rightHandSides);
    IncrementalLp(const IncrementalLp&) = delete;
    IncrementalLp& operator=(const IncrementalLp&) = delete;
    ~IncrementalLp();

    /// Adds a row over existing columns and returns its index.
    [[nodiscard]] std::size_t addRow(double atLeast, std::span<const RowEntry> shares = {});
    /// Changes the right-hand side of a row.
    void setAtLeast(std::size_t row, double atLeast);
    /// Adds a column and returns its index.
    [[nodiscard]] Column add(double cost, std::span<const Entry> entries);
    void setCost(Column column, double cost);
    struct Solution
    {
        bool optimal = false;
        std::vector<double> prices; ///< dual price of each row
        std::vector<double> values; ///< value of x for each column; empty if not optimal
        double value = 0;           ///< objective value; valid only if optimal
    };
    /// Solves the linear program within limits on seconds and simplex iterations.
    [[nodiscard]] Solution solve(double seconds, int iterations = std::numeric_limits<int>::max());

private:
    glp_prob* m_program;
    bool m_changedRightHandSides = false; ///< true if right-hand sides have changed since the last solve
};

} // namespace tilewright
