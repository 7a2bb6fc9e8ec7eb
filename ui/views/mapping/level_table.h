// SPDX-License-Identifier: GPL-3.0-or-later
// The table of levels of an architecture with levels, painted below its loop nest.
#pragma once

#include "base/table.h"
#include "workspace/mapping_document.h"

#include <QRectF>
#include <QString>

class QPainter;

namespace tilewright::ui {

struct Theme;

struct LevelTable
{
    Table table;   ///< the rows of the table; empty if the mapping has no figures
    QString limit; ///< the limit of the cycles: "the reads of SRAM"
    /// Cell of the time that limits the cycles; -1 if the MACs limit them.
    int limitRow = -1, limitColumn = -1;
};

/// Builds the table. It is empty for an architecture of four levels.
[[nodiscard]] LevelTable buildLevelTable(const MappingDocument& state);
/// Returns headings and rows as tab-separated text with full precision.
[[nodiscard]] QString levelTableAsText(const LevelTable& table);

[[nodiscard]] double levelTableHeight(const LevelTable& table);
/// Returns the width of the table with all digits or, if `brief`, with shortened numbers.
[[nodiscard]] double levelTableWidth(const LevelTable& table, bool brief);
/// Paints the table. Numbers are shortened if they do not fit into the width.
void paintLevelTable(QPainter& painter, const LevelTable& table, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
