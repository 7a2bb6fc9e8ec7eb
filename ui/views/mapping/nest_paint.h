// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/mapping/nest_model.h"

#include <QPointF>
#include <QRectF>

#include <utility>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Where a bar and its prime factors stand.
struct NestBarPlace
{
    mapping::Level level = mapping::Level::Dram;
    int loop = 0;
    std::size_t index = 0; ///< in its column
    QRectF rect;
    std::vector<std::pair<std::int64_t, QRectF>> chips; ///< prime, place
};

/// Geometry of the loop nest; the painter and the mouse use the same.
struct NestPlaces
{
    QRectF title;
    std::array<QRectF, mapping::kObjectives> metrics;
    std::array<QRectF, mapping::kOperands> operands;
    std::array<QRectF, mapping::kLevels> columns;
    std::vector<NestBarPlace> bars;
    double height = 0; ///< that everything needs

    [[nodiscard]] const NestBarPlace* bar(mapping::Level level, int loop) const;
    /// The bar or prime factor under the mouse.
    [[nodiscard]] std::optional<NestItem> itemAt(QPointF position) const;
    [[nodiscard]] std::optional<mapping::Level> columnAt(QPointF position) const;
    /// Before which bar of its column something dropped here would stand.
    [[nodiscard]] std::size_t slotAt(mapping::Level level, QPointF position) const;
};

/// `area` gives the width and the top left corner; columns grow to its height when it is larger than needed.
/// Title and metrics take the whole width, operands and columns `bodyWidth` of it.
[[nodiscard]] NestPlaces nestPlaces(const QRectF& area, double bodyWidth, const NestModel& model);

/// What the mouse and the keyboard are about; nothing of it in exports.
struct NestOverlay
{
    std::optional<NestItem> hover;
    std::optional<NestItem> focus; ///< of the keyboard
    std::optional<NestItem> drag;
    QPointF cursor;
    /// Of the dragged, hovered or focused item, by level.
    std::array<std::optional<NestDrop>, mapping::kLevels> drops;
    std::optional<mapping::Level> target; ///< column under the cursor while dragging
    std::optional<std::size_t> slot;      ///< place in the order while dragging
    std::optional<NestDrop> drop;         ///< what letting go now would do
    double visibleBottom = 1e9;           ///< columns go on below it: what they say last stands above
};

void paintNest(QPainter& painter, const NestModel& model, const NestPlaces& places, const Theme& theme,
               const NestOverlay& overlay);
/// The card beside the cursor that tells what the drop would do, kept inside `area`.
void paintDropCard(QPainter& painter, const NestDrop& drop, QPointF cursor, const QRectF& area,
                   const Theme& theme);

[[nodiscard]] const QColor& operandColour(const Theme& theme, int operand);

} // namespace tilewright::ui
