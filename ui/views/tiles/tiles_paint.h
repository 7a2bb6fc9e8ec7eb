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
    std::int64_t visit = -1;          ///< the path up to this visit is emphasised
    std::optional<std::int64_t> hover;
    std::optional<std::int64_t> cursor;  ///< tile with the keyboard cursor
    std::span<const std::int64_t> drawn; ///< a traversal that is being drawn
    QString note;                        ///< beside the mouse or cursor while drawing
    QPointF noteAt;
};

/// The grid in scene units: a tile has width 1 and height `aspect`.
[[nodiscard]] QRectF tilesScene(const TilesModel& model);
[[nodiscard]] std::optional<std::int64_t> tileAt(const TilesModel& model, QPointF scene);
[[nodiscard]] QRectF tileRect(const TilesModel& model, std::int64_t tile);

/// One pixel per tile (or block of tiles), for grids too large to paint cell by cell.
[[nodiscard]] QImage tilesImage(const TilesModel& model, const Theme& theme);

/// Cells of at least this size are painted one by one.
inline constexpr double kCellPixels = 16;

/// Paints the grid into `area`, clipped. `image` = tilesImage(), used for small cells; may be null if cells
/// are large enough.
void paintTiles(QPainter& painter, const TilesModel& model, const QRectF& area, const Viewport& viewport,
                const QImage& image, const Theme& theme, const TilesOverlay& overlay);

/// Title, subtitle and legend above and below the grid; in a low `area` title and subtitle share a line.
[[nodiscard]] double tilesHeaderHeight(const QRectF& area);
[[nodiscard]] double tilesLegendHeight();
void paintTilesHeader(QPainter& painter, const TilesModel& model, const QRectF& area, const Theme& theme);
void paintTilesLegend(QPainter& painter, const TilesModel& model, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
