// SPDX-License-Identifier: GPL-3.0-or-later
// The map of the tile search: painting and view.
#pragma once

#include "chart/heat_grid.h"
#include "views/systolic/systolic_view.h"
#include "views/systolic/tile_map_model.h"

class QComboBox;

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

/// Returns a heat map with the traffic as colour. Cells that do not fit are hatched; marks show the choices
/// of the methods.
[[nodiscard]] HeatGrid tileGrid(const TileMapModel& model, const Theme& theme);
void paintTileMap(QPainter& painter, const TileMapModel& model, const TileMapPlaces& places,
                  const std::optional<TileCell>& hover, const Theme& theme);
/// Paints a bar "used / available" for each constraint. Returns the height of all bars.
double paintCapacityBars(QPainter& painter, const std::vector<systolic::Constraint>& constraints,
                         const QRectF& area, const Theme& theme);

/// Tile search: traffic over the tile sizes Ti x Tj, the choices of the methods, capacities, and the effect
/// on the roofline. A click chooses a tile.
class TileMapCanvas : public SystolicPane
{
    Q_OBJECT
public:
    explicit TileMapCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 720}; }

    [[nodiscard]] const TileMapModel& model() const { return m_model; }
    [[nodiscard]] QPointF cellCentre(const TileCell& cell) const;
    void choose(const TileCell& cell);

protected:
    void rebuild() override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] TileMapPlaces places() const { return tileMapPlaces(contentArea(), m_model); }
    void moveCell(int rows, int columns);

    TileMapModel m_model;
    std::optional<TileCell> m_hover;
    QComboBox* m_method = nullptr;
    QAction* m_whole = nullptr; ///< starts a search for the whole MatMul instead of its tile
};

} // namespace tilewright::ui
