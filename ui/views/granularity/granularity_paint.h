// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/heat_grid.h"
#include "views/granularity/granularity_model.h"

namespace tilewright::ui {

/// Positions of the parts of the map: title above, legend below or, in a low and wide area, beside it.
/// Heights grow upwards. The index of a cell is its position in GranularityModel::shown.
struct GranularityPlaces
{
    QRectF title, legend;
    HeatFrame map;
    int titleRows = 1, subtitleRows = 1; ///< number of text lines in `title`
};
[[nodiscard]] GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model);
[[nodiscard]] HeatGrid granularityGrid(const GranularityModel& model, const Theme& theme);
void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& places,
                      const Theme& theme, std::optional<std::size_t> hover);

} // namespace tilewright::ui
