// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/heat_grid.h"
#include "views/granularity/granularity_model.h"

namespace tilewright::ui {

/// Title above and legend below the map; beside it where the area is low and wide. Heights grow upwards; a
/// cell is a position in GranularityModel::shown.
struct GranularityPlaces
{
    QRectF title, legend;
    HeatFrame map;
    int titleRows = 1, subtitleRows = 1; ///< lines of text in `title`
};
[[nodiscard]] GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model);
[[nodiscard]] HeatGrid granularityGrid(const GranularityModel& model, const Theme& theme);
void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& places,
                      const Theme& theme, std::optional<std::size_t> hover);

} // namespace tilewright::ui
