// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/memory_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

class Actions;
struct Theme;

/// The list beside the timeline: everything that is resident at the pinned time, or the sums over the
/// measured range.
struct MemoryPanel
{
    QRectF area;
    QRectF list;          ///< the part that scrolls, a line a row
    double rowHeight = 0; ///< of the list
    [[nodiscard]] double contentHeight(const MemoryModel& model) const;
    /// The item under the point; nothing beside the list.
    [[nodiscard]] std::optional<std::size_t> rowAt(const MemoryModel& model, QPointF point,
                                                   double scroll) const;
};
[[nodiscard]] MemoryPanel memoryPanel(const QRectF& area);

/// `barWidth`: what a scroll bar takes of the list. Without a bar, "3 more" says what is cut off.
void paintMemoryPanel(QPainter& painter, const MemoryModel& model, const MemoryPanel& panel, double scroll,
                      double barWidth, std::optional<std::size_t> hoveredRow, const Actions& keys,
                      const Theme& theme);

[[nodiscard]] const QColor& contentColour(ContentItem::Kind kind, const Theme& theme);

} // namespace tilewright::ui
