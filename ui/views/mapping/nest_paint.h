// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/mapping/nest_model.h"

#include <QPointF>
#include <QRectF>

#include <utility>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Positions of a bar and of its prime factors.
struct NestBarPlace
{
    std::size_t column = 0;
    int loop = 0;
    int nth = 0;           ///< number of the loop (NestBar::nth)
    std::size_t index = 0; ///< index of the bar in its column
    QRectF rect;
    std::vector<std::pair<std::int64_t, QRectF>> chips; ///< prime factor and position of each chip
};

/// Geometry of the loop nest, for painting and for the mouse.
struct NestPlaces
{
    QRectF title;
    std::array<QRectF, mapping::kObjectives> metrics;
    std::array<QRectF, mapping::kOperands> operands;
    std::vector<QRectF> columns; ///< for each column, the area in which a drop belongs to it
    /// For each column, the area of the column and the axes below it; empty for an axis.
    std::vector<QRectF> cards;
    std::vector<NestBarPlace> bars;
    double height = 0; ///< height of the whole loop nest

    [[nodiscard]] const NestBarPlace* bar(std::size_t column, int loop, int nth = 0) const;
    /// Returns the bar or the prime factor at a position.
    [[nodiscard]] std::optional<NestItem> itemAt(QPointF position) const;
    [[nodiscard]] std::optional<std::size_t> columnAt(QPointF position) const;
    /// Returns the index of the bar before which a drop at this position would insert the loop.
    [[nodiscard]] std::size_t slotAt(std::size_t column, QPointF position) const;
};

/// Font of the value of a metric.
[[nodiscard]] QFont metricFont();
constexpr double kMetricMargin = 8; ///< space to the left and right of the texts of a metric, in pixels

/// Height of the heading of an axis.
[[nodiscard]] double axisHeadHeight();

/// Computes the geometry. `area` gives the width and the top left corner; if it is higher than needed,
/// columns grow to its height. Title and metrics have the full width, operands and columns `bodyWidth`.
[[nodiscard]] NestPlaces nestPlaces(const QRectF& area, double bodyWidth, const NestModel& model);

/// State of mouse and keyboard; empty in exports.
struct NestOverlay
{
    std::optional<NestItem> hover;
    std::optional<NestItem> focus; ///< item with the keyboard focus
    std::optional<NestItem> drag;
    QPointF cursor;
    /// For each column, the effect of dropping the item that is dragged, hovered or focused; empty if there
    /// is none.
    std::vector<std::optional<NestDrop>> drops;
    std::optional<std::size_t> target; ///< during a drag, the column under the cursor
    std::optional<std::size_t> slot;   ///< during a drag, the position in the order at the cursor
    std::optional<NestDrop> drop;      ///< effect of a drop at the cursor
    double visibleBottom =
        /// y of the lower end of the visible part; the texts at the end of a column are painted above it
        1e9;

    /// Returns the effect of a drop on the column; null if there is none.
    [[nodiscard]] const NestDrop* effectOn(std::size_t column) const
    {
        return column < drops.size() && drops[column] ? &*drops[column] : nullptr;
    }
};

void paintNest(QPainter& painter, const NestModel& model, const NestPlaces& places, const Theme& theme,
               const NestOverlay& overlay);
/// Paints a card beside the cursor, inside `area`, with the effect of a drop.
void paintDropCard(QPainter& painter, const NestDrop& drop, QPointF cursor, const QRectF& area,
                   const Theme& theme);

[[nodiscard]] const QColor& operandColour(const Theme& theme, int operand);

} // namespace tilewright::ui
