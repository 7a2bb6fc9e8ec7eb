// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "snapshot/snapshot.h"

#include <string>
#include <vector>

namespace tilewright {

/// A chart as figure elements with an <svg> each, which is painted for a light and for a dark page: in
/// colours of ReportCharts, or in parts of the classes in-light and in-dark.
struct ReportPicture
{
    std::string title;
    std::string name; ///< of the view
    std::string figures;
};

struct ReportCharts
{
    std::vector<ReportPicture> pictures = {}; ///< none: a line says how to get them
    std::string lightColours = {};            ///< declarations of the variables in the pictures: "--p0:#fff;"
    std::string darkColours = {};
    std::string data = "null"; ///< JSON for resources/report/report.js: what stands where and says what
};

struct HtmlReportOptions
{
    std::string title; ///< the problem's name when empty
    std::string note;  ///< a line below the title: files, date
    /// What a person wrote, each with what it is about.
    std::vector<std::pair<std::string, std::string>> notes = {};
    const Comparison* comparison = nullptr; ///< against a baseline
    ReportCharts charts = {};
};

/// A page of its own, without server or other files: the figures, issues, pictures, every subgraph with what
/// binds it, the steps, the comparison and the lower bound. Its script (resources/report) links charts and
/// tables; without it everything is still there to read. Follows the reader's light or dark setting.
[[nodiscard]] std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options = {});

/// Rows as tab-separated lines, the first one their names; empty when there are none.
struct ReportTable
{
    std::string title;
    std::string rows;
};

/// The same page for anything that is no schedule: pictures and tables below one another.
[[nodiscard]] std::string htmlPage(const std::string& title, const std::string& note,
                                   const ReportCharts& charts, const std::vector<ReportTable>& tables);

/// The tables of htmlPage() as one JSON document: {"title", "tables": [{"title", "columns", "rows"}]}.
[[nodiscard]] std::string tablesJson(const std::string& title, const std::vector<ReportTable>& tables);

} // namespace tilewright
