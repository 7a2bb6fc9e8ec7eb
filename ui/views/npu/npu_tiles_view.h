// SPDX-License-Identifier: GPL-3.0-or-later
// The map of the candidate tiles of an operator: model and view.
#pragma once

#include "canvas/control_bar.h"
#include "chart/heat_grid.h"
#include "workspace/npu_document.h"

#include <optional>
#include <vector>

class QComboBox;

namespace tilewright::ui {

/// The candidate tiles of an operator over two of its sizes. A cell shows the fastest candidate with these
/// two sizes.
struct NpuTilesModel
{
    QString hint; ///< text shown instead of the map; empty: show the map
    QString title, subtitle;
    std::shared_ptr<const NpuTileSearch> search;
    const npu::OperatorTiles* tiles = nullptr; ///< candidates of the shown operator, a part of `search`
    npu::OpType type = npu::OpType::MatMul;
    npu::TileField x{}, y{};
    std::vector<std::int64_t> widths, heights;
    std::vector<std::optional<std::size_t>>
        cells; ///< index of a candidate by row * widths + column; nullopt if none fits
    std::optional<std::size_t> before, fastest, chosen, current; ///< indices of cells
    double lowest = 0, highest = 1; ///< ends of the colour ramp: log10 of the cycles

    [[nodiscard]] const npu::TileCandidate& candidate(std::size_t cell) const
    {
        return tiles->candidates[*cells[cell]];
    }
    /// Position on the colour ramp: 0 for the fastest, 1 for the slowest candidate that is shown.
    [[nodiscard]] double intensity(npu::Cycle cycles) const;
    /// Text on a cell: "m 512 n 384 k 64: 12 345 cycles alone …".
    [[nodiscard]] QString readout(std::size_t cell) const;
    [[nodiscard]] QString asText() const;
};

/// Builds the model. `op`: the operator whose candidates are shown; it must be one of those that were
/// searched.
[[nodiscard]] NpuTilesModel buildNpuTiles(const NpuDocument& state, std::size_t op);

/// Positions of the parts: title above the map, legend below it.
struct NpuTilesPlaces
{
    QRectF title, keys;
    HeatFrame map;
};
[[nodiscard]] NpuTilesPlaces npuTilesPlaces(const QRectF& area, const NpuTilesModel& model);
/// Returns the heat map with the time as colour. Tiles that do not fit are hatched, tiles that were not
/// simulated are dotted, and signs mark the chosen tiles.
[[nodiscard]] HeatGrid npuTilesGrid(const NpuTilesModel& model, const Theme& theme);

/// The time of an operator over its tile sizes, and the search for tiles. A click chooses a tile.
class NpuTilesView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit NpuTilesView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QString copyText() const override { return m_model.asText(); }
    [[nodiscard]] QSize exportSize() const override { return {900, 620}; }

    [[nodiscard]] NpuDocument& state() { return m_state; }
    [[nodiscard]] const NpuTilesModel& model() const { return m_model; }
    [[nodiscard]] QPointF cellCentre(std::size_t cell) const; ///< centre of a cell in widget coordinates
    void showOperator(std::size_t op);
    void startSearch();

protected:
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void rebuild();
    void listOperators();
    void take(std::size_t cell);
    void moveCell(QPoint arrow);
    [[nodiscard]] std::size_t shownOperator() const;

    NpuDocument& m_state;
    NpuTilesModel m_model;
    std::shared_ptr<const npu::NpuModel> m_listed;
    QComboBox* m_operator = nullptr;
    QAction* m_start = nullptr;
    std::optional<std::size_t> m_hover;
};

} // namespace tilewright::ui
