// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/axis.h"
#include "views/systolic/gantt_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

struct GanttPlaces
{
    struct Group
    {
        QRectF title;
        std::vector<QRectF> lanes; ///< one a lane of the program
        std::vector<QRectF> names; ///< one a resource
    };
    QRectF header, plot; ///< plot: all lanes and the occupancy, without labels
    QRectF labels;       ///< left of the plot
    std::vector<Group> groups;
    std::array<QRectF, 3> occupancy; ///< L3, L2, L1; may be empty
    QRectF panel;                    ///< tables and bank map; may be empty
};

[[nodiscard]] GanttPlaces ganttPlaces(const QRectF& area, const GanttModel& model);

struct GanttHover
{
    std::size_t group = 0;
    std::size_t lane = 0;
    double time = 0;
};
[[nodiscard]] std::optional<GanttHover> ganttHit(const GanttPlaces& places, const Axis& time,
                                                 QPointF position);

void paintGantt(QPainter& painter, const GanttModel& model, const GanttPlaces& places, const Axis& time,
                const std::optional<double>& hover, bool cursor, const Theme& theme);

} // namespace tilewright::ui
