// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "report/snapshot.h"

#include <string>
#include <vector>

namespace tilewright {

/// A chart as <svg> elements, painted for readers with a light and with a dark page.
struct ReportPicture
{
    std::string title;
    std::string light;
    std::string dark;
};

struct HtmlReportOptions
{
    std::string title; ///< the problem's name when empty
    std::string note;  ///< a line below the title: files, date
    /// What a person wrote, each with what it is about.
    std::vector<std::pair<std::string, std::string>> notes = {};
    const Comparison* comparison = nullptr;   ///< against a baseline
    std::vector<ReportPicture> pictures = {}; ///< none: a line says how to get them
};

/// A page of its own (no scripts, no other files): the figures, issues, pictures, every subgraph with what
/// binds it, the comparison and the lower bound. Follows the reader's light or dark setting.
[[nodiscard]] std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options = {});

/// Rows as tab-separated lines, the first one their names; empty when there are none.
struct ReportTable
{
    std::string title;
    std::string rows;
};

/// The same page for anything that is no schedule: pictures and tables below one another.
[[nodiscard]] std::string htmlPage(const std::string& title, const std::string& note,
                                   const std::vector<ReportPicture>& pictures,
                                   const std::vector<ReportTable>& tables);

} // namespace tilewright
