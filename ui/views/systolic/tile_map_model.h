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

/// Traffic over Ti x Tj, what the methods pick, what fits.
struct TileMapModel
{
    QString hint;
    std::shared_ptr<const TileResult> result;
    QString title;
    QString headline;               ///< the tile in force and how far it is from the optimum
    double lowest = 0, highest = 1; ///< log10 of the elements moved, of what fits
    std::size_t rows = 0, cols = 0; ///< candidates shown: what fits and a margin of what does not
    std::array<std::optional<TileCell>, 3> picks;
    std::optional<TileCell> current;
    PaintedTable methods;
    std::vector<systolic::Constraint> constraints;
    std::optional<systolic::Roofline> roofline, optimum;
    std::optional<systolic::ThreeLevelTiling> levels;

    /// 0 (least traffic) .. 1.
    [[nodiscard]] double shade(const systolic::LandscapeCell& cell) const;
};

[[nodiscard]] TileMapModel buildTileMap(const SystolicDocument& state);
/// The cell in which a tile lies (landscapes of large GEMMs are thinned).
[[nodiscard]] TileCell cellOf(const systolic::TileLandscape& landscape, const systolic::TileShape& tile);
[[nodiscard]] QString tileText(const systolic::TileShape& tile);
[[nodiscard]] QString methodText(systolic::TileMethod method);

} // namespace tilewright::ui
