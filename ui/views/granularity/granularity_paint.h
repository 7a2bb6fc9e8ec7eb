// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/granularity/granularity_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Title above and legend below the map; beside it where the area is low and wide.
struct GranularityPlaces
{
    QRectF title, map, legend;
    int titleRows = 1, subtitleRows = 1; ///< lines of text in `title`
    double cellWidth = 1, cellHeight = 1;
};
[[nodiscard]] GranularityPlaces granularityPlaces(const QRectF& area, const GranularityModel& model);
/// The cell at a position in GranularityModel::shown; heights grow upwards.
[[nodiscard]] QRectF granularityCell(const GranularityPlaces& places, const GranularityModel& model,
                                     std::size_t position);
[[nodiscard]] std::optional<std::size_t> granularityAt(const GranularityPlaces& places,
                                                       const GranularityModel& model, QPointF point);
void paintGranularity(QPainter& painter, const GranularityModel& model, const GranularityPlaces& places,
                      const Theme& theme, std::optional<std::size_t> hover);

} // namespace tilewright::ui
