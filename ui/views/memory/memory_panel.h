// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/memory_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

class Actions;
struct Theme;

/// The panel beside the timeline: a list of all items in fast memory at the pinned time, or sums over the
/// measured range.
struct MemoryPanel
{
    QRectF area;
    QRectF list;          ///< area of the list, which scrolls; one line per row
    double rowHeight = 0; ///< height of a row of the list
    [[nodiscard]] double contentHeight(const MemoryModel& model) const;
    /// Returns the row of the item at a point; nullopt outside of the list.
    [[nodiscard]] std::optional<std::size_t> rowAt(const MemoryModel& model, QPointF point,
                                                   double scroll) const;
};
[[nodiscard]] MemoryPanel memoryPanel(const QRectF& area, bool hasHalos = false);

/// Paints the panel. `barWidth`: width of the scroll bar; if it is 0, a text such as "3 more" stands for the
/// hidden rows.
void paintMemoryPanel(QPainter& painter, const MemoryModel& model, const MemoryPanel& panel, double scroll,
                      double barWidth, std::optional<std::size_t> hoveredRow, const Actions& keys,
                      const Theme& theme);

[[nodiscard]] const QColor& contentColour(ContentItem::Kind kind, const Theme& theme);

} // namespace tilewright::ui
