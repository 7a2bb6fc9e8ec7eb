// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/axis.h"
#include "views/mapping/search_map_model.h"

class QPainter;

namespace tilewright::ui {

struct Theme;

struct SearchMapPlaces
{
    QRectF plot;
    QRectF panel; ///< facts and optima; below the plot when the view is narrow
    QRectF progress;
    QRectF facts;
    /// The three optima, then the current method; a click loads.
    std::array<QRectF, mapping::kObjectives + 1> rows;
};

[[nodiscard]] SearchMapPlaces searchMapPlaces(const QRectF& area, const SearchMapModel& model);
void paintSearchMap(QPainter& painter, const SearchMapModel& model, const SearchMapPlaces& places,
                    const Axis& x, const Axis& y, const std::optional<MapPoint>& marked, const Theme& theme);

} // namespace tilewright::ui
