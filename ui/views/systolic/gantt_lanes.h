// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/systolic/gantt_model.h"

namespace tilewright::ui {

/// The lanes of the programs, with the occupancy of the memory levels below.
[[nodiscard]] LaneModel ganttLanes(const GanttModel& model);
/// Index of the first of the three lanes of memory levels.
[[nodiscard]] std::size_t firstLevelLane(const LaneModel& lanes);

/// Fills a box with the colour or pattern of a reason of a stall.
void fillReason(QPainter& painter, const QRectF& box, const std::string& reason, const Theme& theme);

/// Paints the tables and the bank map at the cursor, beside the lanes.
void paintGanttPanel(QPainter& painter, const GanttModel& model, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
