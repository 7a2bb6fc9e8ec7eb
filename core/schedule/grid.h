// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <span>

namespace tilewright {

/// Grid of the tiles of a subgraph (R5.1). Tile (r, c) has index r * cols + c.
struct TileGrid
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    [[nodiscard]] std::int64_t tiles() const noexcept { return rows * cols; }
    bool operator==(const TileGrid&) const = default;
};

/// Returns the grid over all sinks of the ops; 0 x 0 without sinks. Requires valid op ids and w, h >= 1.
[[nodiscard]] TileGrid tileGrid(const Problem& problem, std::span<const OpId> ops,
                                const Granularity& granularity);

} // namespace tilewright
