// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "canvas/view.h"

#include <vector>

namespace tilewright::ui {

/// One HTML page (figures, charts, tables, comparison with the baseline), told by .html; or a PDF with one
/// page for each of the views that are drawn here.
[[nodiscard]] Status exportReport(const Document& document, const std::vector<View*>& views,
                                  const QString& path);

/// CSV of the schedule: what is told by `what`: "subgraphs", "steps" or "occupancy".
[[nodiscard]] Status exportCsv(const Document& document, const QString& what, const QString& path);

} // namespace tilewright::ui
