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
    Table table;   ///< without rows if there are no figures
    QString limit; ///< the limit of the cycles: "the reads of SRAM"
    /// Row and column of the time that limits the cycles; -1 if it is that of the MACs.
    int limitRow = -1, limitColumn = -1;
};

/// Empty for an architecture of four levels.
[[nodiscard]] LevelTable buildLevelTable(const MappingDocument& state);
/// Headings and rows with full precision, separated by tabs.
[[nodiscard]] QString levelTableAsText(const LevelTable& table);

[[nodiscard]] double levelTableHeight(const LevelTable& table);
/// Width that the table needs, with all digits or with shortened numbers.
[[nodiscard]] double levelTableWidth(const LevelTable& table, bool brief);
/// Numbers are shortened if they do not fit into the width.
void paintLevelTable(QPainter& painter, const LevelTable& table, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
