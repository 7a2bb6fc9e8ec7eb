// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layer_graph.h"

namespace tilewright::layered {

/// The columns side by side into which the layers of a component are broken.
struct Columns
{
    std::vector<int> ofLayer; ///< column of each layer, ascending
    std::vector<double> left; ///< left edge of each column, without group outlines
    std::vector<double> right;
    std::vector<double> bottom;
    [[nodiscard]] int count() const noexcept { return static_cast<int>(left.size()); }
};

/// Breaks the drawing into columns so that its width / height is close to `aspect`. Moves the vertices into
/// their columns by changing x and y of `at`. Returns one column if more columns bring no advantage.
[[nodiscard]] Columns breakIntoColumns(const LayerGraph& g, const Order& order, Coordinates& at,
                                       const LayoutOptions& options);

/// Returns one route per chain, in the direction of the input edge.
[[nodiscard]] std::vector<LayoutRoute> drawRoutes(const LayerGraph& g, const Coordinates& at,
                                                  const Columns& columns, const LayoutOptions& options);

/// Returns the outlines of the component's groups, by group number.
[[nodiscard]] std::vector<LayoutGroup> drawOutlines(const LayerGraph& g, const Order& order,
                                                    const Coordinates& at, const Columns& columns,
                                                    const LayoutOptions& options);

/// Width (height) beside, above and below the columns that the lanes of `links` links across breaks need.
[[nodiscard]] double laneRoom(std::size_t links);
inline constexpr double kLaneGap = 9;
inline constexpr double kColumnGap = 34;

} // namespace tilewright::layered
