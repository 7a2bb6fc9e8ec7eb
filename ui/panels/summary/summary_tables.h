// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the Summary pane.
#pragma once

#include "base/table.h"
#include "verbs/summary.h"

#include <QString>

#include <optional>

namespace tilewright::ui {

enum SummaryTableColumn : std::uint8_t {
    SummaryName,
    SummaryButton,
    SummaryFirstFigure,
    SummaryBinds = SummaryFirstFigure + verbs::kSummaryFigures,
    SummaryLeftOut
};

[[nodiscard]] constexpr std::size_t indexOf(verbs::SummaryKind kind)
{
    return static_cast<std::size_t>(kind);
}
[[nodiscard]] inline QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// Returns the table of all lenses for the pane: verbs::summaryTable() with a column for buttons, and with
/// tooltips.
[[nodiscard]] Table paneTable(std::span<const verbs::Summary> summaries);
/// Returns the figures of one operator: one row per lens and machine.
[[nodiscard]] Table layerTable(std::span<const verbs::Summary> summaries, std::optional<OperatorId> op);
/// Returns the key figures of a language model: one column for each summary that has them.
[[nodiscard]] Table languageTable(std::span<const verbs::Summary> summaries);

} // namespace tilewright::ui
