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

/// The columns of the table of all lenses, without rows.
[[nodiscard]] Table emptySummaryTable();
/// The figures of one operator: a row for each lens.
[[nodiscard]] Table layerTable(const verbs::Summary& summary, std::optional<OperatorId> op);

} // namespace tilewright::ui
