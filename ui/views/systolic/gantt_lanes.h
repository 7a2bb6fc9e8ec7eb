// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/systolic/gantt_model.h"

namespace tilewright::ui {

/// The lanes of the programs, what the levels hold below them.
[[nodiscard]] LaneModel ganttLanes(const GanttModel& model);
/// The first lane of what the levels hold, of three.
[[nodiscard]] std::size_t firstLevelLane(const LaneModel& lanes);

/// Fills a box in the look of a reason to wait.
void fillReason(QPainter& painter, const QRectF& box, const std::string& reason, const Theme& theme);

/// Tables and the bank map at the cursor, beside the lanes.
void paintGanttPanel(QPainter& painter, const GanttModel& model, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
