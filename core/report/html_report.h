// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "report/compare.h"
#include "report/snapshot.h"

#include <string>

namespace tilewright {

struct HtmlReportOptions
{
    std::string title;                      ///< the problem's name when empty
    std::string note;                       ///< a line below the title: files, date
    const Comparison* comparison = nullptr; ///< against a baseline
};

/// A page of its own (no scripts, no other files): the figures, latency, memory and roofline charts, every
/// subgraph with what binds it, issues, the lower bound, and the comparison. Follows the reader's light or
/// dark setting.
[[nodiscard]] std::string htmlReport(const Snapshot& snapshot, const HtmlReportOptions& options = {},
                                     const Progress& progress = {});

} // namespace tilewright
