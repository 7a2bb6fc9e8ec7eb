// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/time_canvas.h"
#include "views/memory/memory_panel.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

struct MemoryPlaces
{
    QRectF title, plot, strip, axis, overview;
    MemoryPanel panel; ///< empty when there is no room for it
};
[[nodiscard]] MemoryPlaces memoryPlaces(const QRectF& area, const MemoryModel& model);

struct MemoryOverlay
{
    std::optional<double> hover; ///< time under the mouse
    std::optional<TimeCanvas::Range> measured;
    std::optional<std::size_t> hoveredRow; ///< of the panel
    double scroll = 0;                     ///< of the panel's list
    double barWidth = 0;
};

/// The columns of one visible range, so that moving the mouse does not compute them again.
struct MemoryColumns
{
    std::vector<TimelineColumn> current, baseline;
    static MemoryColumns of(const MemoryModel& model, double from, double to, int width);
};

/// `time` spans the visible range over the pixels of the plot.
void paintMemory(QPainter& painter, const MemoryModel& model, const MemoryPlaces& places, const Axis& time,
                 const MemoryColumns& columns, const MemoryColumns& overview, const Theme& theme,
                 const MemoryOverlay& overlay);

} // namespace tilewright::ui
