// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layer_graph.h"

namespace tilewright::layered {

/// The layers of a component, broken into columns that stand side by side.
struct Columns
{
    std::vector<int> ofLayer; ///< column of each layer, ascending
    std::vector<double> left; ///< of each column, without outlines
    std::vector<double> right;
    std::vector<double> bottom;
    [[nodiscard]] int count() const noexcept { return static_cast<int>(left.size()); }
};

/// Chooses where to break so that the whole is about `aspect` times as wide as high, and moves the vertices
/// into their columns (x and y of `at` change). One column when nothing is to be gained.
[[nodiscard]] Columns breakIntoColumns(const LayerGraph& g, const Order& order, Coordinates& at,
                                       const LayoutOptions& options);

/// One route per chain, in the direction of the input edge.
[[nodiscard]] std::vector<LayoutRoute> drawRoutes(const LayerGraph& g, const Coordinates& at,
                                                  const Columns& columns, const LayoutOptions& options);

/// Outlines per group number of the component.
[[nodiscard]] std::vector<LayoutGroup> drawOutlines(const LayerGraph& g, const Order& order,
                                                    const Coordinates& at, const Columns& columns,
                                                    const LayoutOptions& options);

/// Room for the lanes beside, above and below the columns that `links` broken links need.
[[nodiscard]] double laneRoom(std::size_t links);
inline constexpr double kLaneGap = 9;
inline constexpr double kColumnGap = 34;

} // namespace tilewright::layered
