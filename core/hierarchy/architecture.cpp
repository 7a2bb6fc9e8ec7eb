// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/architecture.h"

#include <algorithm>

namespace tilewright::hierarchy {

std::size_t Architecture::innermostHolder(std::size_t operand) const noexcept
{
    std::size_t level = levels.size() - 1;
    while (level > 0 && !levels[level].holds[operand])
        --level;
    return level;
}

Status checkCountable(const LoopNest& nest)
{
    // Worst case of the counts. A tile is at most the product of its extents times the larger of stride and
    // dilation in every dimension, and a count of a level is the sum of up to six such counts of one operand.
    double worst = 8 * static_cast<double>(nest.macs);
    for (const mapping::Dimension& d : nest.operands[0].dimensions)
        worst *= static_cast<double>(std::max(d.stride, d.dilation));
    if (worst > 9e18)
        return problemError({}, "the layer is too large: the accesses of its worst mappings exceed 64 bits");
    return Unit{};
}

} // namespace tilewright::hierarchy
