// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/systolic/systolic_pane.h"
#include "views/systolic/tile_map_paint.h"

class QComboBox;

namespace tilewright::ui {

/// Tile search: traffic over Ti x Tj, the choices of the methods, capacities, effect on the roofline. A click
/// chooses a tile.
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
    QAction* m_whole = nullptr; ///< search for the whole MatMul instead of its tile
};

} // namespace tilewright::ui
