// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "sweep/folder.h"
#include "sweep/run.h"

#include <string>
#include <vector>

namespace tilewright::sweep {

enum class RowState : std::uint8_t { ToDo, Done, Failed };
[[nodiscard]] std::string_view toString(RowState state) noexcept; ///< "to do", "done", "failed"

/// One row of the table: the result of a point (docs/rules/sweep.md 4).
struct Row
{
    std::size_t point = 0;
    RowState state = RowState::ToDo;
    std::string error; ///< error of the point itself; the row may have metrics from another point
    /// for each metric (metricsOf()), the best of the point's own and inherited values; may be empty
    std::vector<double> metrics;
    std::size_t from = 0; ///< point whose schedule gives the metrics
    bool onFront = false; ///< true if no point of its workload dominates it
    std::optional<SameProblem> problem;
};
[[nodiscard]] Row rowOf(std::size_t index, PointResult result);

/// Gives every row the best metrics of all rows of the same problem with at most its capacity and bandwidth
/// (docs/rules/sweep.md 4.1). Time: O(n log n).
void applyDominance(const Plan& plan, std::vector<Row>& rows);
/// Marks the Pareto front of each workload over the objectives of the plan, which are all minimised
/// (docs/rules/sweep.md 4.3).
void markFront(const Plan& plan, std::vector<Row>& rows);

struct SweepTable
{
    Manifest manifest;
    std::vector<Row> rows; ///< one per point
    std::size_t done = 0, failed = 0;
    [[nodiscard]] std::size_t toDo() const noexcept { return rows.size() - done - failed; }
};
/// Reads all results in the folder. Runs may be active at the same time.
[[nodiscard]] Result<SweepTable> collect(const ResultsFolder& folder, const Progress& progress = {});
/// Builds the table from rows in arrival order.
[[nodiscard]] SweepTable tableOf(const Manifest& manifest, std::vector<Row> rows);

[[nodiscard]] std::string tableCsv(const SweepTable& table);
[[nodiscard]] std::string tableJson(const SweepTable& table);

/// Errors for a result that cannot be read, of the points of a part: collect() would refuse it after the
/// work.
[[nodiscard]] Status checkResults(const ResultsFolder& folder, const Part& part, const std::stop_token& stop);

/// Numbers of points that are done or failed. Cheaper than collect().
struct SweepCounts
{
    std::size_t points = 0, done = 0, failed = 0;
    [[nodiscard]] std::size_t toDo() const noexcept { return points - done - failed; }
};
[[nodiscard]] Result<SweepCounts> countResults(const ResultsFolder& folder, const Progress& progress = {});

} // namespace tilewright::sweep
