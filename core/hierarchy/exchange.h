// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/architecture.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tilewright::hierarchy {

/// Products of the spatial factors between a level P and the next level C inside it that holds an operand
/// (docs/rules/hierarchy.md 3).
struct Between
{
    std::int64_t indexing = 1;  ///< Sr of docs/rules/hierarchy.md 3
    std::int64_t others = 1;    ///< Si of docs/rules/hierarchy.md 3
    std::int64_t arriving = 1;  ///< Sn: part of Si at levels without a reduction tree
    std::int64_t delivered = 1; ///< product of the factors of levels without multicast
};

/// `spatial`: per level, the product of the spatial factors of each loop. `outer` is P; `inner` is C, which
/// is the number of levels for the MACs.
[[nodiscard]] inline Between factorsBetween(const LoopNest& nest, const Architecture& architecture,
                                            std::span<const Factors> spatial, std::size_t operand,
                                            std::size_t outer, std::size_t inner) noexcept
{
    Between out;
    const unsigned indexMask = nest.operands[operand].indexMask;
    for (std::size_t i = outer; i < inner; ++i) {
        const Level& level = architecture.levels[i];
        for (std::size_t l = 0; l < kMaxLoops; ++l) {
            const std::int64_t factor = spatial[i][l];
            if ((indexMask >> l & 1u) != 0) {
                out.indexing *= factor;
            } else {
                out.others *= factor;
                if (!level.reductionTree)
                    out.arriving *= factor;
            }
            if (!level.multicast)
                out.delivered *= factor;
        }
    }
    return out;
}

/// True if an instance of the level receives all products of its sums (docs/rules/hierarchy.md 4).
[[nodiscard]] inline bool completesSums(const LoopNest& nest, std::span<const Factors> spatial,
                                        std::size_t level) noexcept
{
    const unsigned indexMask = nest.operands[mapping::kWritten].indexMask;
    for (std::size_t i = 0; i < level; ++i)
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            if (spatial[i][l] > 1 && (indexMask >> l & 1u) == 0)
                return false;
    return true;
}

} // namespace tilewright::hierarchy
