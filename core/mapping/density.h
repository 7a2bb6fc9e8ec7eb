// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace tilewright::mapping {

struct DensityOptions
{
    int tilings = 40'000; ///< valid tilings to draw; each counts with every pair of order classes
    int columns = 96;     ///< cells along cycles
    int rows = 72;        ///< cells along energy
    std::uint64_t seed = 1;
    std::vector<Cost> include; ///< points that the ranges must cover (front, current method)
    std::stop_token stop;
};

/// How often methods land where, energy against cycles on logarithmic scales, from tilings drawn
/// uniformly among all that fit.
struct Density
{
    int columns = 0;
    int rows = 0;
    double minLogCycles = 0; ///< log10 at the left edge of column 0
    double maxLogCycles = 0;
    double minLogEnergy = 0;
    double maxLogEnergy = 0;
    std::vector<std::uint32_t> counts; ///< row-major, row 0: least energy
    std::vector<int> exampleOf;        ///< per cell: index into `examples`, -1 when empty
    std::vector<MethodCost> examples;  ///< the cheapest (least EDP) method seen in each cell
    std::int64_t tilings = 0;          ///< drawn and valid
    std::int64_t tried = 0;            ///< drawn, valid or not: tilings / tried estimates the valid share
    std::int64_t methods = 0;          ///< counted, classes included

    [[nodiscard]] std::size_t cell(int column, int row) const
    {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
               static_cast<std::size_t>(column);
    }
    /// The cell of a cost inside the ranges; outside, the nearest one.
    [[nodiscard]] std::size_t cellOf(const Cost& cost) const;
};

/// Deterministic for a seed unless stopped. Empty (0 tilings) when no valid tiling turns up.
[[nodiscard]] Density sampleDensity(const LoopNest& nest, const Architecture& architecture,
                                    const DensityOptions& options);

} // namespace tilewright::mapping
