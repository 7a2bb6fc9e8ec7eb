// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

struct glp_prob;

namespace tilewright {

/// Minimise the cost of columns x >= 0 under rows "sum >= right-hand side", again and again while columns
/// come and costs change: each time from where it was. What bounds need of it are the rows' prices; these are
/// only believed once they have been compared with every column. To be used by the thread that made it.
class GrowingProgram
{
public:
    using Column = std::size_t;
    struct Entry
    {
        std::size_t row;
        double coefficient;
    };

    struct Share
    {
        Column column;
        double coefficient;
    };

    explicit GrowingProgram(std::span<const double> atLeast);
    GrowingProgram(const GrowingProgram&) = delete;
    GrowingProgram& operator=(const GrowingProgram&) = delete;
    ~GrowingProgram();

    /// One more row, and its number.
    [[nodiscard]] std::size_t addRow(double atLeast, std::span<const Share> shares = {});
    void setAtLeast(std::size_t row, double atLeast);
    [[nodiscard]] Column add(double cost, std::span<const Entry> entries);
    void setCost(Column column, double cost);
    struct Solution
    {
        bool optimal = false;
        std::vector<double> prices; ///< by row
        std::vector<double> values; ///< by column; when optimal
        double value = 0;           ///< when optimal
    };
    /// At most so long, and so many changes of the basis.
    [[nodiscard]] Solution solve(double seconds, int changes = std::numeric_limits<int>::max());

private:
    glp_prob* m_program;
    bool m_isMoved = false; ///< right-hand sides are others than when it was solved
};

} // namespace tilewright
