// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/run_tile.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

std::optional<RunTile> largestRun(const SubgraphPlan& plan, const Granularity& g, OpId op) noexcept
{
    const auto extent = [&](std::uint32_t slot) {
        const SubgraphPlan::Slot& s = plan.ranges()[slot];
        switch (s.axis) {
        case SubgraphPlan::Axis::Tile:
            return std::min(s.size, s.row ? g.h : g.w);
        case SubgraphPlan::Axis::Step:
            return std::min(s.size, g.k);
        case SubgraphPlan::Axis::Full:
            break;
        }
        return s.size;
    };
    std::optional<RunTile> out;
    std::int64_t most = 0;
    for (const SubgraphPlan::Use& use : plan.uses()) {
        if (!use.run || plan.ops()[use.id] != op)
            continue;
        const RunTile tile{extent(use.rowSlot), extent(use.colSlot), extent(use.depthSlot)};
        const std::int64_t work = saturatingMul(saturatingMul(tile.rows, tile.cols), tile.depth);
        if (work > most) {
            most = work;
            out = tile;
        }
    }
    return out;
}

} // namespace tilewright
