// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace tilewright::mapping {

struct DensityOptions
{
    /// Number of valid tilings to draw. Each is evaluated with all pairs of order classes.
    int tilings = 40'000;
    int columns = 96; ///< number of cells along the axis of cycles
    int rows = 72;    ///< number of cells along the axis of energy
    std::uint64_t seed = 1;
    std::vector<Cost> include; ///< costs that the axis ranges must include (front, current method)
    std::stop_token stop;
};

/// Histogram of methods over log energy and log cycles. Tilings are drawn uniformly from all valid tilings.
struct Density
{
    int columns = 0;
    int rows = 0;
    double minLogCycles = 0; ///< log10 of the cycles at the left edge of column 0
    double maxLogCycles = 0;
    double minLogEnergy = 0;
    double maxLogEnergy = 0;
    std::vector<std::uint32_t> counts; ///< row-major; row 0 has the least energy
    std::vector<int> exampleOf;        ///< per cell: index into `examples`, -1 = empty
    std::vector<MethodCost> examples;  ///< the method with the least EDP of each cell
    std::int64_t tilings = 0;          ///< number of valid tilings drawn
    std::int64_t tried = 0;   ///< number of draws; tilings / tried estimates the share of valid tilings
    std::int64_t methods = 0; ///< number of methods counted, one per pair of order classes

    [[nodiscard]] std::size_t cell(int column, int row) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column);
    }
    /// Index of the cell of a cost. Costs outside of the ranges belong to the nearest cell.
    [[nodiscard]] std::size_t cellOf(const Cost& cost) const;
};

/// Samples the density. Deterministic for a seed unless stopped. Has 0 tilings if no valid tiling is found.
[[nodiscard]] Density sampleDensity(const LoopNest& nest, const Architecture& architecture,
                                    const DensityOptions& options);

} // namespace tilewright::mapping
