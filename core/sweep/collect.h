// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "sweep/folder.h"

#include <string>
#include <vector>

namespace tilewright::sweep {

enum class RowState : std::uint8_t { ToDo, Done, Failed };
[[nodiscard]] std::string_view toString(RowState state) noexcept; ///< "to do", "done", "failed"

/// A point in the table (docs/rules/sweep.md 4).
struct Row
{
    std::size_t point = 0;
    RowState state = RowState::ToDo;
    std::string error;           ///< of the point's own work; a row may have figures all the same
    std::vector<double> metrics; ///< as metricsOf(), the best of its own and those it dominates; or empty
    std::size_t from = 0;        ///< the point whose schedule it is
    bool onFront = false;        ///< none is better in every objective
    std::optional<SameProblem> problem;
};
[[nodiscard]] Row rowOf(std::size_t index, PointResult result);

/// Gives every row the best of its own and of all rows of the same problem with no more capacity and no more
/// bandwidth (docs/rules/sweep.md 4.1). Time as for sorting the rows.
void applyDominance(const Plan& plan, std::vector<Row>& rows);
/// Marks the Pareto front of each workload over the plan's objectives, all made small (4.3).
void markFront(const Plan& plan, std::vector<Row>& rows);

struct SweepTable
{
    Manifest manifest;
    std::vector<Row> rows; ///< one a point
    std::size_t done = 0, failed = 0;
    [[nodiscard]] std::size_t toDo() const noexcept { return rows.size() - done - failed; }
};
/// Reads the results that there are, also while runs are at work.
[[nodiscard]] Result<SweepTable> collect(const ResultsFolder& folder, const Progress& progress = {});
/// The table of rows that a view has got as they came.
[[nodiscard]] SweepTable tableOf(const Manifest& manifest, std::vector<Row> rows);

[[nodiscard]] std::string tableCsv(const SweepTable& table);
[[nodiscard]] std::string tableJson(const SweepTable& table);

/// Done, failed, to do, without reading more than that.
struct SweepCounts
{
    std::size_t points = 0, done = 0, failed = 0;
    [[nodiscard]] std::size_t toDo() const noexcept { return points - done - failed; }
};
[[nodiscard]] Result<SweepCounts> countResults(const ResultsFolder& folder, const Progress& progress = {});

} // namespace tilewright::sweep
