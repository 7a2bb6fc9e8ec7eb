// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/time_canvas.h"
#include "views/npu/npu_layout.h"

class QPainter;

namespace tilewright::ui {

struct NpuOverlay
{
    std::optional<double> hover;       ///< time under the mouse
    std::optional<npu::Cycle> cursor;  ///< the pinned time
    std::optional<std::uint32_t> node; ///< selected
    std::optional<std::uint32_t> hoverNode;
    std::optional<TimeCanvas::Range> measured;
    QString readout;
};

/// Everything of one visible range that does not depend on the mouse.
struct NpuVisible
{
    NpuColumns current, ghost;
    std::vector<StateColumn> overview;
};

void paintNpu(QPainter& painter, const NpuChartModel& model, const NpuPlaces& places,
              const NpuChartOptions& options, const Axis& time, const NpuVisible& visible, const Theme& theme,
              const NpuOverlay& overlay);

// -- parts, in npu_paint_lanes.cpp
void paintNpuLane(QPainter& painter, const NpuChartModel& model, const NpuChartOptions& options,
                  const NpuLane& lane, const Axis& time, const NpuVisible& visible, const Theme& theme,
                  const NpuOverlay& overlay);
void paintStateColumns(QPainter& painter, const std::vector<StateColumn>& columns, const QRectF& rect,
                       const Theme& theme, bool patterns);
/// True when the bank lane shows every group of bursts by itself.
[[nodiscard]] bool showsSingleBursts(const NpuChartModel& model, const NpuVisible& visible);
/// Fill of a bank's cell: bytes a cycle on the ramp, or its share of row misses.
[[nodiscard]] QColor bankColour(const BankCell& cell, double peak, bool misses, const Theme& theme);

} // namespace tilewright::ui
