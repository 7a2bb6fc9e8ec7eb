// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/systolic/painted_table.h"
#include "workspace/systolic_document.h"

#include <memory>
#include <optional>

namespace tilewright::ui {

/// A cell of the landscape of tile sizes Ti x Tj.
struct TileCell
{
    std::size_t i = 0; ///< index of the row, in landscape.ti
    std::size_t j = 0;
    bool operator==(const TileCell&) const = default;
};

/// Traffic over the tile sizes Ti x Tj, with the choices of the methods and the limits of the capacities.
struct TileMapModel
{
    QString hint;
    std::shared_ptr<const TileResult> result;
    QString title;
    QString headline; ///< text on the current tile and its distance from the optimum
    /// log10 of the smallest and largest number of elements moved, over the cells that fit
    double lowest = 0, highest = 1;
    /// Numbers of rows and columns shown: the candidates that fit, and a margin of those that do not.
    std::size_t rows = 0, cols = 0;
    std::array<std::optional<TileCell>, 3> picks;
    std::optional<TileCell> current;
    PaintedTable methods;
    std::vector<systolic::Constraint> constraints;
    std::optional<systolic::Roofline> roofline, optimum;
    std::optional<systolic::ThreeLevelTiling> levels;

    /// Position on the colour ramp, from 0 (least traffic) to 1.
    [[nodiscard]] double shade(const systolic::LandscapeCell& cell) const;
};

[[nodiscard]] TileMapModel buildTileMap(const SystolicDocument& state);
/// Returns the cell that contains a tile. The landscape of a large GEMM does not have all sizes.
[[nodiscard]] TileCell cellOf(const systolic::TileLandscape& landscape, const systolic::TileShape& tile);
[[nodiscard]] QString tileText(const systolic::TileShape& tile);
[[nodiscard]] QString methodText(systolic::TileMethod method);

} // namespace tilewright::ui
