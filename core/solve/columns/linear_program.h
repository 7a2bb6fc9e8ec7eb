// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

struct glp_prob;

namespace tilewright {

/// A linear program (GLPK) that is solved again and again while columns and rows are added and costs change:
/// minimise the cost of columns x >= 0 under rows "sum of coefficient * x >= right-hand side". Each solve
/// starts from the basis of the one before. The dual prices are approximate: a bound has to check them
/// against every column. To be used only by the thread that made it.
class IncrementalLp
{
public:
    using Column = std::size_t;
    /// One coefficient of a column.
    struct Entry
    {
        std::size_t row;
        double coefficient;
    };
    /// One coefficient of a row.
    struct Share
    {
        Column column;
        double coefficient;
    };

    /// One row for each right-hand side, and no column.
    explicit IncrementalLp(std::span<const double> rightHandSides);
    IncrementalLp(const IncrementalLp&) = delete;
    IncrementalLp& operator=(const IncrementalLp&) = delete;
    ~IncrementalLp();

    /// Adds a row over known columns and returns its number.
    [[nodiscard]] std::size_t addRow(double atLeast, std::span<const Share> shares = {});
    /// Changes the right-hand side of a row.
    void setAtLeast(std::size_t row, double atLeast);
    /// Adds a column and returns its number.
    [[nodiscard]] Column add(double cost, std::span<const Entry> entries);
    void setCost(Column column, double cost);
    struct Solution
    {
        bool optimal = false;
        std::vector<double> prices; ///< dual price of each row
        std::vector<double> values; ///< x of each column; empty unless optimal
        double value = 0;           ///< cost of the solution; only when optimal
    };
    /// Solves with at most so many seconds and simplex iterations.
    [[nodiscard]] Solution solve(double seconds, int iterations = std::numeric_limits<int>::max());

private:
    glp_prob* m_program;
    bool m_isMoved = false; ///< right-hand sides have changed since the last solve
};

} // namespace tilewright
