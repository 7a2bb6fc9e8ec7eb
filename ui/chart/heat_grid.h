// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"

namespace tilewright::ui {

struct Theme;

/// Pattern for a cell without a value; it can be recognised without colour.
enum class HeatSign { None, Hatch, Dots, Cross };

struct HeatCell
{
    QColor fill = {}; ///< colour; ignored if the cell has a sign
    HeatSign sign = HeatSign::None;
    bool framed = false; ///< draws a frame that marks a problem
    QString text = {};   ///< value as text; shown if all cells are large enough
};

struct HeatAxis
{
    QString title = {};
    QStringList labels = {};
    std::optional<qsizetype> strong = {}; ///< index of a label that is always shown
    /// index of the label of the selected cell, placed right after `strong`
    std::optional<qsizetype> now = {};
};

/// A mark on a cell; several marks of one cell are side by side.
struct HeatMark
{
    std::size_t cell = 0;
    PlotMark sign = {};
};

/// Heat map with two axes of sizes or categories, drawn by paintHeatGrid(). Index of a cell: row * columns +
/// column.
struct HeatGrid
{
    HeatAxis x, y;
    std::size_t columns = 1, rows = 1;
    bool downwards = false; ///< true: the first row is at the top, as in a matrix
    double gap = 1;         ///< distance between cells in pixels
    std::vector<HeatCell> cells;
    std::optional<std::size_t> current; ///< selected cell, marked by a ring
    std::vector<HeatMark> marks;
    std::vector<ChartKey> keys;
};

/// Geometry of a heat map on the screen.
struct HeatFrame
{
    QRectF map;
    std::size_t columns = 1, rows = 1;
    bool downwards = false;

    [[nodiscard]] QRectF cell(std::size_t i) const;
    [[nodiscard]] std::optional<std::size_t> cellAt(QPointF position) const;
    /// Returns the neighbour of a cell in the direction of an arrow key; at the border, the cell itself.
    [[nodiscard]] std::size_t beside(std::size_t i, QPoint arrow) const;
};

/// Paints cells, labels, axis titles, marks and a highlight of the hovered cell.
void paintHeatGrid(QPainter& painter, const HeatGrid& grid, const HeatFrame& frame,
                   std::optional<std::size_t> hover, const Theme& theme);

[[nodiscard]] ChartKey heatSignKey(const QString& text, HeatSign sign, const Theme& theme);
[[nodiscard]] ChartKey heatRingKey(const QString& text, const Theme& theme);

} // namespace tilewright::ui
