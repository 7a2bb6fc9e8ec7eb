// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "canvas/view.h"

#include <QStringList>

#include <vector>

namespace tilewright::ui {

/// Names of the views in a report of a schedule, in order.
[[nodiscard]] const QStringList& reportViews();
/// Names of the views in a report of this document, in order. For a model the Summary comes first.
[[nodiscard]] QStringList reportViews(const Document& document);

/// Writes a report of the schedule. The .html report is one page with figures, pictures of the views, tables
/// and the comparison with the baseline. The .pdf report has one page per view.
[[nodiscard]] Status exportReport(const Document& document, const std::vector<View*>& views,
                                  const QString& path);

/// Writes a report of views of another lens, with their pictures and tables. `title`: heading of the report.
/// `document`: gives the name of the machine, if it has one.
[[nodiscard]] Status exportLensReport(const Document& document, const QString& title,
                                      const std::vector<View*>& views, const QString& path);

/// Figures of the schedule as JSON, like `evaluate --json`.
[[nodiscard]] std::string reportJson(const Document& document);
/// Tables of the views as JSON.
[[nodiscard]] std::string lensReportJson(const QString& title, const std::vector<View*>& views);

/// Writes the table of the subgraphs as CSV.
[[nodiscard]] Status exportSubgraphsCsv(const Document& document, const QString& path);

} // namespace tilewright::ui
