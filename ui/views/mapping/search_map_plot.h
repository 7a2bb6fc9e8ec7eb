// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"
#include "views/mapping/search_map_model.h"

namespace tilewright::ui {

struct SearchMapPlaces
{
    QRectF map;   ///< area of the plot
    QRectF panel; ///< facts and optima; below the plot in a narrow view
    QRectF progress;
    QRectF facts;
    /// The three optima, then the current method; a click loads one.
    std::array<QRectF, mapping::kObjectives + 1> rows;
};

[[nodiscard]] SearchMapPlaces searchMapPlaces(const QRectF& area, const SearchMapModel& model);

// Ids of marks: the optima by their objective, then the baseline, then the points of the front.
inline constexpr int kBaselineMark = static_cast<int>(mapping::kObjectives);
inline constexpr int kFirstOfFront = kBaselineMark + 1;
[[nodiscard]] PlotModel searchMapPlot(const SearchMapModel& model, const Theme& theme);
[[nodiscard]] const MapPoint* mapPointOf(const SearchMapModel& model, const PlotMark& mark);

void paintSearchPanel(QPainter& painter, const SearchMapModel& model, const SearchMapPlaces& places,
                      const std::optional<MapPoint>& marked, const Theme& theme);

} // namespace tilewright::ui
