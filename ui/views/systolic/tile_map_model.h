// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/systolic/painted_table.h"
#include "workspace/systolic_document.h"

#include <memory>
#include <optional>

namespace tilewright::ui {

/// A cell of the landscape.
struct TileCell
{
    std::size_t i = 0; ///< index into landscape.ti
    std::size_t j = 0;
    bool operator==(const TileCell&) const = default;
};

/// Traffic over Ti x Tj, with the choices of the methods and the limits of capacity.
struct TileMapModel
{
    QString hint;
    std::shared_ptr<const TileResult> result;
    QString title;
    QString headline;               ///< the current tile and its distance from the optimum
    double lowest = 0, highest = 1; ///< log10 of the elements moved, over the cells that fit
    std::size_t rows = 0, cols = 0; ///< candidates shown: those that fit and a margin of those that do not
    std::array<std::optional<TileCell>, 3> picks;
    std::optional<TileCell> current;
    PaintedTable methods;
    std::vector<systolic::Constraint> constraints;
    std::optional<systolic::Roofline> roofline, optimum;
    std::optional<systolic::ThreeLevelTiling> levels;

    /// Position on the colour ramp: 0 (least traffic) .. 1.
    [[nodiscard]] double shade(const systolic::LandscapeCell& cell) const;
};

[[nodiscard]] TileMapModel buildTileMap(const SystolicDocument& state);
/// The cell that contains a tile (landscapes of large GEMMs are thinned).
[[nodiscard]] TileCell cellOf(const systolic::TileLandscape& landscape, const systolic::TileShape& tile);
[[nodiscard]] QString tileText(const systolic::TileShape& tile);
[[nodiscard]] QString methodText(systolic::TileMethod method);

} // namespace tilewright::ui
