// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "canvas/view.h"

#include <QStringList>

#include <vector>

namespace tilewright::ui {

/// Names of the views of a report, in its order.
[[nodiscard]] const QStringList& reportViews();

/// One HTML page (figures, what the views paint, tables, comparison with the baseline), told by .html; or a
/// PDF with a page for each of the views.
[[nodiscard]] Status exportReport(const Document& document, const std::vector<View*>& views,
                                  const QString& path);

/// The same of views of another lens: what they paint and their rows. `title` heads the page.
[[nodiscard]] Status exportLensReport(const QString& title, const std::vector<View*>& views,
                                      const QString& path);

/// The figures of either as JSON: the document of `evaluate --json`; the tables.
[[nodiscard]] std::string reportJson(const Document& document);
[[nodiscard]] std::string lensReportJson(const QString& title, const std::vector<View*>& views);

/// CSV of the schedule: what is told by `what`: "subgraphs", "steps" or "occupancy".
[[nodiscard]] Status exportCsv(const Document& document, const QString& what, const QString& path);

} // namespace tilewright::ui
