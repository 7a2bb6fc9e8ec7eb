// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of results: files of points, and their collection into a table.
#pragma once

#include "base/progress.h"
#include "sweep/run.h"
#include "sweep/sweep.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::sweep {

/// Text of the result file of a point (docs/rules/sweep.md 2.2).
[[nodiscard]] std::string writeResult(const Plan& plan, std::size_t index, const PointResult& result,
                                      const std::string& scheduleFile);
/// Reads a result file. The schedule is in a file of its own. The Error describes what is wrong with the
/// file.
[[nodiscard]] Result<PointResult> readResult(const Plan& plan, std::string_view text,
                                             const std::string& file);

/// A results folder (docs/rules/sweep.md 2): `plan.json` and one file per point. Each file is written
/// atomically. Several threads, programs and machines can use the folder at once.
class ResultsFolder
{
public:
    /// Opens an existing folder for reading.
    [[nodiscard]] static Result<ResultsFolder> open(const std::string& path);
    /// Creates the folder, or opens one with the same plan, inputs and program version to continue its sweep.
    /// The Error names the difference.
    [[nodiscard]] static Result<ResultsFolder> prepare(const std::string& path, const Manifest& manifest);

    [[nodiscard]] const std::string& path() const noexcept { return m_path; }
    [[nodiscard]] const Manifest& manifest() const noexcept { return *m_manifest; }
    [[nodiscard]] std::size_t pointCount() const noexcept { return m_manifest->plan.pointCount(); }

    [[nodiscard]] bool has(std::size_t index) const;
    [[nodiscard]] Status put(std::size_t index, const PointResult& result) const;
    /// Reads the result of a point; nullopt if it has not been computed.
    [[nodiscard]] Result<std::optional<PointResult>> get(std::size_t index) const;
    /// Path of the schedule of a point, if schedules are kept.
    [[nodiscard]] std::string scheduleFile(std::size_t index) const;
    /// Appends a line to the log of this program. The log is not part of the results.
    void log(const std::string& line) const;

private:
    ResultsFolder(std::string path, Manifest manifest);
    [[nodiscard]] std::string resultFile(std::size_t index) const;
    [[nodiscard]] std::string temporaries() const { return m_path + "/temporary"; }

    std::string m_path;
    std::shared_ptr<const Manifest> m_manifest; // stable address, because m_names refers to it
    PointNames m_names;
};

/// The first of the names FOLDER-2, FOLDER-3, ... that does not exist, for `--fresh`.
[[nodiscard]] std::string folderBeside(const std::string& path);

enum class RowState : std::uint8_t { ToDo, Done, Failed };
[[nodiscard]] std::string_view toString(RowState state) noexcept; ///< "to do", "done", "failed"

/// One row of the table: the result of a point (docs/rules/sweep.md 4).
struct Row
{
    std::size_t point = 0;
    RowState state = RowState::ToDo;
    std::string error; ///< error of the point itself; the row may have metrics from another point
    /// For each metric of metricsOf(), the better one of the point's own value and the inherited value; may
    /// be empty.
    std::vector<double> metrics;
    std::size_t from = 0; ///< index of the point whose schedule gives the metrics
    bool onFront = false; ///< true if no point of its workload dominates it
    std::optional<SameProblem> problem;
};
[[nodiscard]] Row rowOf(std::size_t index, PointResult result);

/// Gives every row the best metrics of all rows of the same problem with at most its capacity and bandwidth
/// (docs/rules/sweep.md 4.1). Takes O(n log n) time for n rows.
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
/// Reads all results in the folder. Sweeps may be writing to it at the same time.
[[nodiscard]] Result<SweepTable> collect(const ResultsFolder& folder, const Progress& progress = {});
/// Builds the table from rows in arrival order.
[[nodiscard]] SweepTable tableOf(const Manifest& manifest, std::vector<Row> rows);

[[nodiscard]] std::string tableCsv(const SweepTable& table);
[[nodiscard]] std::string tableJson(const SweepTable& table);

/// Returns an Error if a result of the points of a part cannot be read. Call it before the work, because
/// collect() would refuse the result afterwards.
[[nodiscard]] Status checkResults(const ResultsFolder& folder, const Part& part, const std::stop_token& stop);

/// Numbers of points that are done or failed. Cheaper than collect().
struct SweepCounts
{
    std::size_t points = 0, done = 0, failed = 0;
    [[nodiscard]] std::size_t toDo() const noexcept { return points - done - failed; }
};
[[nodiscard]] Result<SweepCounts> countResults(const ResultsFolder& folder, const Progress& progress = {});

} // namespace tilewright::sweep
