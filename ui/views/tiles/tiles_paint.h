// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "views/tiles/tiles_model.h"

#include <QImage>
#include <QRectF>

#include <span>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// State of the mouse and the playback.
struct TilesOverlay
{
    std::optional<std::int64_t> tile; ///< tile of the shown step
    std::int64_t visit = -1;          ///< number of the visit up to which the path is emphasised; -1: none
    std::optional<std::int64_t> hover;
    std::optional<std::int64_t> cursor;  ///< tile with the keyboard cursor
    std::span<const std::int64_t> drawn; ///< tiles of the traversal order that is being drawn
    QString note; ///< text beside the mouse or the cursor while an order is being drawn
    QPointF noteAt;
};

/// Returns the rectangle of the grid in scene units: a tile has width 1 and height `aspect`.
[[nodiscard]] QRectF tilesScene(const TilesModel& model);
[[nodiscard]] std::optional<std::int64_t> tileAt(const TilesModel& model, QPointF scene);
[[nodiscard]] QRectF tileRect(const TilesModel& model, std::int64_t tile);

/// Returns an image of the grid with one pixel per tile or block of tiles, for grids that are too large to
/// paint cell by cell.
[[nodiscard]] QImage tilesImage(const TilesModel& model, const Theme& theme);

/// Minimum side in pixels of cells that are painted one by one.
inline constexpr double kCellPixels = 16;

/// Paints the grid into `area`, clipped. `image`: the result of tilesImage(), used if cells are small; may be
/// null if they are not.
void paintTiles(QPainter& painter, const TilesModel& model, const QRectF& area, const Viewport& viewport,
                const QImage& image, const Theme& theme, const TilesOverlay& overlay);

/// Height of title, subtitle and legend around the grid. In a low `area` title and subtitle share a line.
[[nodiscard]] double tilesHeaderHeight(const QRectF& area);
[[nodiscard]] double tilesLegendHeight();
void paintTilesHeader(QPainter& painter, const TilesModel& model, const QRectF& area, const Theme& theme);
void paintTilesLegend(QPainter& painter, const TilesModel& model, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
