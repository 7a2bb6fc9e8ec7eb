// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/heat_grid.h"
#include "views/systolic/tile_map_model.h"

namespace tilewright::ui {

struct Theme;

struct TileMapPlaces
{
    QRectF header, legend, methods, bars, roofline;
    HeatFrame map;

    [[nodiscard]] QRectF cell(const TileCell& c) const { return map.cell(c.i * map.columns + c.j); }
    [[nodiscard]] std::optional<TileCell> cellAt(QPointF position) const;
};

[[nodiscard]] TileMapPlaces tileMapPlaces(const QRectF& area, const TileMapModel& model);

/// Traffic as colour; cells that do not fit are hatched; marks are the choices of the methods.
[[nodiscard]] HeatGrid tileGrid(const TileMapModel& model, const Theme& theme);
void paintTileMap(QPainter& painter, const TileMapModel& model, const TileMapPlaces& places,
                  const std::optional<TileCell>& hover, const Theme& theme);
/// Bars "used / available" of the constraints; returns the height used.
double paintCapacityBars(QPainter& painter, const std::vector<systolic::Constraint>& constraints,
                         const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
