// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/systolic/tile_map_model.h"

#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

struct TileMapPlaces
{
    QRectF header, map, legend, methods, bars, roofline;
    std::size_t rows = 1, cols = 1; ///< cells shown

    [[nodiscard]] QRectF cell(const TileCell& c) const
    {
        const double w = map.width() / static_cast<double>(cols);
        const double h = map.height() / static_cast<double>(rows);
        return {map.left() + static_cast<double>(c.j) * w, map.bottom() - static_cast<double>(c.i + 1) * h, w,
                h};
    }
    [[nodiscard]] std::optional<TileCell> cellAt(QPointF position) const;
};

[[nodiscard]] TileMapPlaces tileMapPlaces(const QRectF& area, const TileMapModel& model);

void paintTileMap(QPainter& painter, const TileMapModel& model, const TileMapPlaces& places,
                  const std::optional<TileCell>& hover, const Theme& theme);
/// Bars "used / available" of the constraints; returns the height used.
double paintCapacityBars(QPainter& painter, const std::vector<systolic::Constraint>& constraints,
                         const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
