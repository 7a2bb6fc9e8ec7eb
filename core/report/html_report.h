// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "snapshot/snapshot.h"

#include <string>
#include <vector>

namespace tilewright {

/// A chart as figure elements with one <svg> each, for light and dark pages: it uses the colour variables of
/// ReportCharts, or has parts of the classes in-light and in-dark.
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
    std::string data = "null"; ///< JSON for resources/report/report.js: positions and texts of the marks
};

struct HtmlReportOptions
{
    std::string title; ///< empty: the name of the problem
    std::string note;  ///< a line below the title, for example files and date
    /// Notes of the user: subject and text.
    std::vector<std::pair<std::string, std::string>> notes = {};
    const Comparison* comparison = nullptr; ///< comparison with a baseline, may be null
    ReportCharts charts = {};
};

/// Returns a self-contained HTML page: figures, issues, charts, subgraphs with their bottlenecks, steps,
/// comparison and lower bound. Its script (resources/report) links charts and tables; without it the page is
/// still readable. The page follows the light or dark setting of the browser.
[[nodiscard]] std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options = {});

/// A table as tab-separated lines. The first line has the column names; empty without rows.
struct ReportTable
{
    std::string title;
    std::string rows;
};

/// Returns an HTML page with charts and tables, for results other than schedules.
[[nodiscard]] std::string htmlPage(const std::string& title, const std::string& note,
                                   const ReportCharts& charts, const std::vector<ReportTable>& tables);

/// Returns the tables of htmlPage() as JSON: {"title", "tables": [{"title", "columns", "rows"}]}.
[[nodiscard]] std::string tablesJson(const std::string& title, const std::vector<ReportTable>& tables);

} // namespace tilewright
