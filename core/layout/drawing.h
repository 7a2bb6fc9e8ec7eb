// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layer_graph.h"

namespace tilewright::layered {

/// The columns into which the layers of a component are broken, side by side.
struct Columns
{
    std::vector<int> ofLayer; ///< column of each layer, ascending
    std::vector<double> left; ///< left edge of each column, without group outlines
    std::vector<double> right;
    std::vector<double> bottom;
    [[nodiscard]] int count() const noexcept { return static_cast<int>(left.size()); }
};

/// Breaks the drawing into columns so that its width / height is close to `aspect`, and moves the vertices
/// into their columns (changes x and y of `at`). Returns one column if more columns gain nothing.
[[nodiscard]] Columns breakIntoColumns(const LayerGraph& g, const Order& order, Coordinates& at,
                                       const LayoutOptions& options);

/// Returns one route per chain, in the direction of the input edge.
[[nodiscard]] std::vector<LayoutRoute> drawRoutes(const LayerGraph& g, const Coordinates& at,
                                                  const Columns& columns, const LayoutOptions& options);

/// Returns the outlines of the component's groups, by group number.
[[nodiscard]] std::vector<LayoutGroup> drawOutlines(const LayerGraph& g, const Order& order,
                                                    const Coordinates& at, const Columns& columns,
                                                    const LayoutOptions& options);

/// Space beside, above and below the columns for the lanes of `links` links that cross breaks.
[[nodiscard]] double laneRoom(std::size_t links);
inline constexpr double kLaneGap = 9;
inline constexpr double kColumnGap = 34;

} // namespace tilewright::layered
