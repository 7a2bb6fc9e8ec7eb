// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/html_report.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// What is part of the program (resources/report, core/CMakeLists.txt).
[[nodiscard]] std::string_view reportScript();
[[nodiscard]] std::string_view reportStyle();

/// The cells of every line, the names first.
[[nodiscard]] std::vector<std::vector<std::string>> rowsOf(const ReportTable& table);

/// Up to the heading.
[[nodiscard]] std::string pageStart(const std::string& title, const std::string& note,
                                    const ReportCharts& charts);
/// The charts, a section each.
[[nodiscard]] std::string pictureSections(const ReportCharts& charts);
/// With the data of the charts and, as JSON, of the schedule; "null" where it is none.
[[nodiscard]] std::string pageEnd(const ReportCharts& charts, const std::string& schedule);

} // namespace tilewright
