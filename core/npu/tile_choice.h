// SPDX-License-Identifier: GPL-3.0-or-later
// What the choice of a default tile is made of (docs/rules/npu.md 2.6). Users include default_tiles.h
// instead.
#pragma once

#include "base/integer.h"
#include "npu/block_estimate.h"
#include "npu/default_tiles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright::npu {

using BlockSizes = std::vector<std::int64_t>;

/// The numbers 1, 2, 3, 4, 6, 8, 12 ... up to `most`.
inline BlockSizes blockCounts(std::int64_t most)
{
    BlockSizes out;
    for (std::int64_t power = 1; power <= most; power *= 2) {
        out.push_back(power);
        if (power > 1 && power + power / 2 <= most)
            out.push_back(power + power / 2);
    }
    return out;
}

inline BlockSizes distinctSizes(BlockSizes sizes)
{
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// Block sizes that cut `extent` into about equal blocks, in multiples of `unit`. If a size is requested
/// (`wish`), only this size. `finer`: also sizes below the unit.
inline BlockSizes blockSizesOf(std::int64_t extent, std::int64_t unit, std::int64_t wish, bool finer)
{
    if (wish > 0)
        return {std::min(wish, extent)};
    BlockSizes out;
    for (const std::int64_t blocks : blockCounts(ceilDiv(extent, unit)))
        out.push_back(std::min(extent, roundUp(ceilDiv(extent, blocks), unit)));
    for (std::int64_t size = unit / 2; finer && size > 0; size /= 2)
        out.push_back(std::min(extent, size));
    return distinctSizes(std::move(out));
}

/// Keeps the best candidate: among those whose estimate is at most 1 % above the least, the one with the
/// fewest nodes.
class TileChoice
{
public:
    TileChoice(const NpuHardware& hw, std::int64_t mostNodes) : m_hw(hw), m_mostNodes(mostNodes) {}

    void offer(const TileSizes& tile, const BlockGrid& grid)
    {
        const Offer offer{tile, grid.nodes(), estimatedCycles(m_hw, grid)};
        m_offers.push_back(offer);
    }
    [[nodiscard]] bool isEmpty() const noexcept { return m_offers.empty(); }
    /// Smallest number of nodes of any offered tile.
    [[nodiscard]] std::int64_t fewestNodes() const noexcept
    {
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (const Offer& o : m_offers)
            fewest = std::min(fewest, o.nodes);
        return fewest;
    }
    [[nodiscard]] TileSizes best() const
    {
        const std::int64_t most = std::max(fewestNodes(), m_mostNodes);
        double least = std::numeric_limits<double>::infinity();
        for (const Offer& o : m_offers)
            if (o.nodes <= most)
                least = std::min(least, o.cycles);
        const Offer* out = nullptr;
        for (const Offer& o : m_offers)
            if (o.nodes <= most && o.cycles <= 1.01 * least && (out == nullptr || o.nodes < out->nodes))
                out = &o;
        return out == nullptr ? TileSizes{} : out->tile;
    }

private:
    struct Offer
    {
        TileSizes tile;
        std::int64_t nodes = 0;
        double cycles = 0;
    };
    const NpuHardware& m_hw;
    std::int64_t m_mostNodes;
    std::vector<Offer> m_offers;
};

/// Returns the best tile that `offerAll(choice, finer, sets)` offers; the tiles fit with `sets` copies of
/// their operands. Finer tiles are used only if no other tile fits.
template <class OfferAll>
std::optional<TileSizes> bestTile(const NpuHardware& hw, const NodeLimits& limits, const OfferAll& offerAll)
{
    for (const bool finer : {false, true}) {
        TileChoice choice(hw, limits.preferred);
        offerAll(choice, finer, 2);
        if (choice.isEmpty())
            continue;
        if (choice.fewestNodes() > limits.most)
            offerAll(choice, finer, 1);
        return choice.best();
    }
    return std::nullopt;
}

/// A block size, and the number of blocks of this size in an extent.
struct BlocksOf
{
    std::int64_t size = 0, count = 0;
};
/// The full blocks of an extent, and the last block if it is smaller.
inline std::array<BlocksOf, 2> blocksOf(std::int64_t extent, std::int64_t block)
{
    return {{{block, extent / block}, {extent % block, extent % block > 0 ? 1 : 0}}};
}

/// True if a node fits into SPM with one set of operands. Operands may be accumulators, which are wider. The
/// counts are elements of operands and result.
inline bool fitsOnce(const NpuHardware& hw, int dtype, const std::array<bool, 2>& accumulated,
                     const std::array<std::int64_t, 2>& operands, std::int64_t result)
{
    std::int64_t bytes = result * hw.accumulatorBytes;
    for (std::size_t i = 0; i < operands.size(); ++i)
        bytes += operands[i] * (accumulated[i] ? std::max(dtype, hw.accumulatorBytes) : dtype);
    return bytes <= hw.spmBytes;
}

inline NpuTensor packedTensor(const std::array<std::int64_t, kMaxRank>& shape, std::int64_t bits)
{
    NpuTensor out;
    out.rank = kMaxRank;
    out.shape = shape;
    out.bits = bits;
    return out;
}

inline TileDesc cornerTile(const std::array<std::int64_t, kMaxRank>& shape)
{
    TileDesc out;
    out.shape = shape;
    return out;
}

} // namespace tilewright::npu
