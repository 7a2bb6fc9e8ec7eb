// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
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

    explicit GrowingProgram(std::span<const double> atLeast);
    GrowingProgram(const GrowingProgram&) = delete;
    GrowingProgram& operator=(const GrowingProgram&) = delete;
    ~GrowingProgram();

    [[nodiscard]] Column add(double cost, std::span<const Entry> entries);
    void setCost(Column column, double cost);
    struct Solution
    {
        bool optimal = false;
        std::vector<double> prices; ///< by row
        std::vector<double> values; ///< by column; when optimal
        double value = 0;           ///< when optimal
    };
    [[nodiscard]] Solution solve(double seconds);

private:
    glp_prob* m_program;
};

} // namespace tilewright
