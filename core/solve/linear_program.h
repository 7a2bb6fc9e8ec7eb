// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/slack.h"

#include <cstddef>
#include <span>
#include <vector>

struct glp_prob;

namespace tilewright {

/// Minimise the cost of columns x >= 0 under rows "sum >= right-hand side". What a bound needs of it are the
/// rows' prices; those are only believed after certify().
class LinearProgram
{
public:
    using Column = std::size_t;
    using Row = std::size_t;

    struct Entry
    {
        Row row;
        double coefficient;
    };

    Column addColumn(double cost);
    Row addRow(double atLeast);
    /// At most once for a pair.
    void add(Row row, Column column, double coefficient);
    /// Rows whose prices certify() may lower when those of `column` add up to more than it costs; its
    /// coefficient is positive in each where it has one. Columns are put right in the order of their phases.
    void repairBy(Column column, std::vector<Row> rows, int phase);

    struct Solution
    {
        bool optimal = false;
        std::vector<double> prices; ///< by row; of use even when not optimal
        std::vector<double> values; ///< by column; when optimal
    };
    [[nodiscard]] Solution solve(double seconds) const;

    /// Lowers prices until no column's add up to more than it costs, whatever rounding did, and gives the
    /// value that no solution goes below. The argument is weak duality, so it does not matter where the
    /// prices are from. Negative when they cannot be put right.
    [[nodiscard]] double certify(std::vector<double>& prices) const;

    [[nodiscard]] std::size_t rows() const noexcept { return m_atLeast.size(); }
    [[nodiscard]] std::size_t columns() const noexcept { return m_columns.size(); }

private:
    struct ColumnData
    {
        double cost;
        std::vector<Entry> entries;
    };
    struct Repair
    {
        Column column;
        std::vector<Row> rows;
        int phase;
    };
    [[nodiscard]] Slack slack(Column column, const std::vector<double>& prices) const;
    [[nodiscard]] bool repair(const Repair& repair, std::vector<double>& prices) const;

    std::vector<ColumnData> m_columns;
    std::vector<double> m_atLeast;
    std::vector<Repair> m_repairs;
};

/// The same, solved again and again while columns come and costs change: each time from where it was. To be
/// used by the thread that made it.
class GrowingProgram
{
public:
    explicit GrowingProgram(std::span<const double> atLeast);
    GrowingProgram(const GrowingProgram&) = delete;
    GrowingProgram& operator=(const GrowingProgram&) = delete;
    ~GrowingProgram();

    [[nodiscard]] LinearProgram::Column add(double cost, std::span<const LinearProgram::Entry> entries);
    void setCost(LinearProgram::Column column, double cost);
    struct Solution : LinearProgram::Solution
    {
        double value = 0; ///< when optimal
    };
    [[nodiscard]] Solution solve(double seconds);

private:
    glp_prob* m_program;
};

} // namespace tilewright
