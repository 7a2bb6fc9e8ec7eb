// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"

namespace tilewright::ui {

struct Theme;

/// What a cell has instead of a value, told apart without colour.
enum class HeatSign { None, Hatch, Dots, Cross };

struct HeatCell
{
    QColor fill = {}; ///< with a sign: the sign's own
    HeatSign sign = HeatSign::None;
    bool framed = false; ///< something is wrong with it
    QString text = {};   ///< its value, where cells are large enough for all of them
};

struct HeatAxis
{
    QString title = {};
    QStringList labels = {};
    std::optional<qsizetype> strong = {}; ///< a label that is never left out
    std::optional<qsizetype> now = {};    ///< the next one to have room: of what is chosen
};

/// A sign on a cell; those of one cell stand side by side.
struct HeatMark
{
    std::size_t cell = 0;
    PlotMark sign = {};
};

/// A map of cells over two axes of sizes or categories. A lens fills it, paintHeatGrid() draws it; a cell is
/// row * columns + column.
struct HeatGrid
{
    HeatAxis x, y;
    std::size_t columns = 1, rows = 1;
    bool downwards = false; ///< the first row is on top, as in a matrix
    double gap = 1;         ///< pixels between cells
    std::vector<HeatCell> cells;
    std::optional<std::size_t> current; ///< ringed
    std::vector<HeatMark> marks;
    std::vector<ChartKey> keys;
};

/// Where a grid is drawn.
struct HeatFrame
{
    QRectF map;
    std::size_t columns = 1, rows = 1;
    bool downwards = false;

    [[nodiscard]] QRectF cell(std::size_t i) const;
    [[nodiscard]] std::optional<std::size_t> cellAt(QPointF position) const;
    /// From a cell in the direction of an arrow key, as far as there are cells.
    [[nodiscard]] std::size_t beside(std::size_t i, QPoint arrow) const;
};

/// The cells, labels below and left of them, the title of the y axis above, marks, the cell under the mouse.
void paintHeatGrid(QPainter& painter, const HeatGrid& grid, const HeatFrame& frame,
                   std::optional<std::size_t> hover, const Theme& theme);

[[nodiscard]] ChartKey heatSignKey(const QString& text, HeatSign sign, const Theme& theme);
[[nodiscard]] ChartKey heatRingKey(const QString& text, const Theme& theme);

} // namespace tilewright::ui
