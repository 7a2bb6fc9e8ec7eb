// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/html_report.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

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
/// Returns the end of the page with the JSON data of the charts and of the schedule ("null" without a
/// schedule).
[[nodiscard]] std::string pageEnd(const ReportCharts& charts, const std::string& schedule);

} // namespace tilewright
