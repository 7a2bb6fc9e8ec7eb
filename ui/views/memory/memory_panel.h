// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/memory_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

class Actions;
struct Theme;

/// The list beside the timeline: all items in fast memory at the pinned time, or sums over the measured
/// range.
struct MemoryPanel
{
    QRectF area;
    QRectF list;          ///< the part that scrolls, one line per row
    double rowHeight = 0; ///< height of a row of the list
    [[nodiscard]] double contentHeight(const MemoryModel& model) const;
    /// The item under the point; nullopt outside the list.
    [[nodiscard]] std::optional<std::size_t> rowAt(const MemoryModel& model, QPointF point,
                                                   double scroll) const;
};
[[nodiscard]] MemoryPanel memoryPanel(const QRectF& area, bool hasHalos = false);

/// `barWidth`: width of the scroll bar. Without a scroll bar, "3 more" names the hidden rows.
void paintMemoryPanel(QPainter& painter, const MemoryModel& model, const MemoryPanel& panel, double scroll,
                      double barWidth, std::optional<std::size_t> hoveredRow, const Actions& keys,
                      const Theme& theme);

[[nodiscard]] const QColor& contentColour(ContentItem::Kind kind, const Theme& theme);

} // namespace tilewright::ui
