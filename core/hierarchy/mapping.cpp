// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/mapping.h"

#include <algorithm>

namespace tilewright::hierarchy {

namespace {

std::size_t indexOf(const TiledLoop& tiled)
{
    return static_cast<std::size_t>(tiled.loop);
}

/// Counts the visits inside the loops that were entered so far, for one operand.
class VisitCounter
{
public:
    explicit VisitCounter(unsigned indexMask) : m_indexMask(indexMask) {}

    void enter(const TiledLoop& tiled) noexcept
    {
        m_product *= tiled.factor;
        if (tiled.factor > 1 && (m_indexMask >> tiled.loop & 1u) != 0) {
            // Loops after this one are not counted unless another one indexes the operand.
            m_visits.all = m_product;
            m_visits.different *= tiled.factor;
        }
    }
    [[nodiscard]] Visits visits() const noexcept { return m_visits; }
    /// Visits of the MACs, for which every loop counts.
    [[nodiscard]] Visits visitsOfMacs() const noexcept { return {m_product, m_visits.different}; }

private:
    unsigned m_indexMask;
    std::int64_t m_product = 1;
    Visits m_visits;
};

} // namespace

Mapping trivialMapping(const LoopNest& nest, const Architecture& architecture)
{
    Mapping out;
    out.levels.resize(architecture.levels.size());
    for (int l = 0; l < nest.loopCount; ++l)
        out.levels.front().temporal.push_back({l, nest.trips[static_cast<std::size_t>(l)]});
    return out;
}

TiledNest tiledNest(const LoopNest& nest, const Mapping& mapping) noexcept
{
    TiledNest out;
    const std::size_t levels = out.levels = mapping.levels.size();
    out.extents[levels].fill(1);
    for (std::size_t level = levels; level-- > 0;) {
        const LevelLoops& loops = mapping.levels[level];
        out.spatial[level].fill(1);
        out.extents[level] = out.extents[level + 1];
        for (const AxisLoops& axis : loops.spatial)
            for (const TiledLoop& tiled : axis.loops)
                out.spatial[level][indexOf(tiled)] *= tiled.factor;
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            out.extents[level][l] *= out.spatial[level][l];
        for (const TiledLoop& tiled : loops.temporal)
            out.extents[level][indexOf(tiled)] *= tiled.factor;
    }
    for (std::size_t level = 0; level < levels; ++level)
        // Only imperfect factors have products above the trip count.
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            out.extents[level][l] = std::min(out.extents[level][l], nest.trips[l]);
    out.instances[0] = 1;
    for (std::size_t level = 0; level < levels; ++level) {
        out.instances[level + 1] = out.instances[level];
        for (const std::int64_t factor : out.spatial[level])
            out.instances[level + 1] *= factor;
    }
    for (std::size_t op = 0; op < kOperands; ++op) {
        VisitCounter counter(nest.operands[op].indexMask);
        for (std::size_t level = 0; level < levels; ++level) {
            out.visits[level][op] = counter.visits();
            for (const TiledLoop& tiled : mapping.levels[level].temporal)
                counter.enter(tiled);
        }
        out.visits[levels][op] = counter.visitsOfMacs();
    }
    out.compute = out.visits[levels][kWritten].all;
    return out;
}

} // namespace tilewright::hierarchy
