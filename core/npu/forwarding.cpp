// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/forwarding.h"

#include <algorithm>

namespace tilewright::npu {

namespace {

/// Number of elements that two tiles of one tensor share.
std::int64_t commonElements(const TileDesc& a, const TileDesc& b)
{
    std::int64_t out = 1;
    for (std::size_t d = 0; d < kMaxRank; ++d)
        out *= std::max<std::int64_t>(0, std::min(a.offset[d] + a.shape[d], b.offset[d] + b.shape[d]) -
                                             std::max(a.offset[d], b.offset[d]));
    return out;
}

} // namespace

Forwarding::Forwarding(const NpuGraph& g, const NpuHardware& hw)
{
    if (!hw.coreToCore)
        return;
    std::vector<bool> isInput(g.tiles.size(), false);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.inputs(n))
            isInput[t] = true;
    m_passesOn.assign(g.nodes.size(), true);
    m_partsBegin.push_back(0);
    for (std::uint32_t t = 0; t < g.tiles.size(); ++t) {
        const TileDesc& tile = g.tiles[t];
        const std::size_t first = m_parts.size();
        std::int64_t covered = 0;
        for (const std::uint32_t w : g.writersOf.of(t))
            for (const std::uint32_t o : g.outputs(w))
                if (isInput[t] && overlap(tile, g.tiles[o])) {
                    const std::int64_t elements = commonElements(tile, g.tiles[o]);
                    covered += elements;
                    m_parts.push_back({w, o, g.tensors[tile.tensor].bytesOf(elements)});
                }
        if (covered != tile.elements()) {
            m_parts.resize(first);
            for (const std::uint32_t w : g.writersOf.of(t))
                m_passesOn[w] = m_passesOn[w] && !isInput[t];
        }
        m_partsBegin.push_back(static_cast<std::uint32_t>(m_parts.size()));
    }
    m_readers.assign(g.tiles.size(), 0);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.inputs(n))
            for (const TilePart& part : partsOf(t))
                ++m_readers[part.result];
    m_mustStore.assign(g.tiles.size(), true);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.outputs(n))
            m_mustStore[t] = m_readers[t] == 0 || !m_passesOn[n] || g.nodes[n].type == NodeType::KvStore;
}

} // namespace tilewright::npu
