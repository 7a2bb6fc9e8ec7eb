// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/grid.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

TileGrid tileGrid(const Problem& problem, std::span<const OpId> ops, const Granularity& granularity)
{
    TileGrid grid;
    for (const TensorId t : boundaryOf(problem, ops).sinks) {
        grid.rows = std::max(grid.rows, ceilDiv(problem.tensor(t).height, granularity.h));
        grid.cols = std::max(grid.cols, ceilDiv(problem.tensor(t).width, granularity.w));
    }
    return grid;
}

} // namespace tilewright
