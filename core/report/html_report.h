// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report: its data and figures, its page, and the escaping of both.
#pragma once

#include "report/compare.h"
#include "snapshot/snapshot.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Largest number of steps in a report. If a schedule has more, the report contains the first steps of every
/// subgraph.
inline constexpr std::int64_t kReportSteps = 6000;

/// Returns the JSON data of the report for searching and listing: names, and the steps as rows.
[[nodiscard]] std::string reportData(const Snapshot& snapshot);

/// Escapes text for an element or a quoted attribute. Control characters and invalid UTF-8 are replaced.
[[nodiscard]] std::string escapeMarkup(std::string_view text);

/// A chart as figure elements, each with one <svg>, for light and dark pages: it either uses the colour
/// variables of ReportCharts, or has parts with the classes in-light and in-dark.
struct ReportPicture
{
    std::string title;
    std::string name; ///< name of the view
    std::string figures;
};

struct ReportCharts
{
    std::vector<ReportPicture> pictures = {}; ///< if empty, the page says how to get charts
    std::string lightColours = {};            ///< CSS declarations of the colour variables: "--p0:#fff;"
    std::string darkColours = {};
    /// JSON for resources/report/report.js: positions and texts of the marks in the charts.
    std::string data = "null";
};

/// A table as tab-separated lines. The first line has the column names. Empty if there are no rows.
struct ReportTable
{
    std::string title;
    std::string rows;
};

struct HtmlReportOptions
{
    std::string title; ///< empty: the name of the problem
    std::string note;  ///< line below the title, for example with files and date
    /// Notes of the user as pairs of subject and text.
    std::vector<std::pair<std::string, std::string>> notes = {};
    const Comparison* comparison = nullptr; ///< comparison with a baseline; may be null
    /// Sentence on the baseline: for which machine it is, or why it is not compared; may be empty.
    std::string baseline = {};
    ReportCharts charts = {};
    ReportTable summary = {}; ///< first section of the page, if it has rows
    /// Description of the schedules that the proof covers (SolveResult::provenSpace); empty without a proof.
    std::string provenSpace = {};
    /// Names and values of figures of the model and its machine. They are placed before those of the
    /// schedule.
    std::vector<std::pair<std::string, std::string>> figures = {};
};

/// Returns a self-contained HTML page: summary, figures, issues, charts, subgraphs with their bottlenecks,
/// steps, comparison and lower bound. Its script (resources/report) links charts and tables; without it the
/// page is still readable. The page follows the light or dark setting of the browser.
[[nodiscard]] std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options = {});

/// Returns an HTML page with charts and tables, for results other than schedules. Tables without a chart,
/// such as the Summary, come first. The table of a chart has its title and "table", so that every heading is
/// there once.
[[nodiscard]] std::string htmlPage(const std::string& title, const std::string& note,
                                   const ReportCharts& charts, const std::vector<ReportTable>& tables);

/// Returns the tables of htmlPage() as JSON: {"title", "tables": [{"title", "columns", "rows"}]}.
[[nodiscard]] std::string tablesJson(const std::string& title, const std::vector<ReportTable>& tables);

// Script and style sheet compiled into the program (resources/report, core/CMakeLists.txt).
[[nodiscard]] std::string_view reportScript();
[[nodiscard]] std::string_view reportStyle();

/// Returns the cells of each line; the first line has the column names.
[[nodiscard]] std::vector<std::vector<std::string>> rowsOf(const ReportTable& table);

/// Returns the page up to and including the heading.
[[nodiscard]] std::string pageStart(const std::string& title, const std::string& note,
                                    const ReportCharts& charts);
/// Returns one section per chart.
[[nodiscard]] std::string pictureSections(const ReportCharts& charts);
/// Returns the end of the page, with the JSON data of the charts and of the schedule ("null" if there is
/// none).
[[nodiscard]] std::string pageEnd(const ReportCharts& charts, const std::string& schedule);

} // namespace tilewright
