// SPDX-License-Identifier: GPL-3.0-or-later
// The default tiles of products, convolutions and vector operators (docs/rules/npu.md 2.6).
#pragma once

#include "npu/hardware.h"
#include "npu/model.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace tilewright::npu {

/// A matrix product, or a batch of products, for which a tile is chosen.
struct ProductToCut
{
    MatmulShape shape;
    std::array<std::int64_t, 3> bits; ///< width of an element of A, B and C in 1/1024 bit
    int widestBytes = 2; ///< bytes of the widest element of A, B and C, for which tiles are sized
    TileSizes wish;      ///< requested sizes, which are kept; 0 = chosen by the default rule
    /// True if A (B) may lie in SPM as the accumulator of the node that produced it.
    std::array<bool, 2> accumulated{};
    double rate = 1; ///< ModelOp::rate
};
[[nodiscard]] ProductToCut productToCut(const NpuModel& model, const ModelOp& op);

/// Limits of the number of nodes into which default tiles cut one operator.
struct NodeLimits
{
    std::int64_t preferred = 0; ///< tiles with more nodes are chosen only if no other fits
    /// If every tile with two sets of operands has more nodes than this, tiles that fit with only one set are
    /// candidates, too.
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// True if a matmul node of this tile, with `sets` copies of its operands, fits into the SPM of a core.
[[nodiscard]] bool matmulFits(const NpuHardware& hardware, int dtypeBytes, const TileSizes& tile,
                              int sets = 2) noexcept;
/// The default tile of a matmul (docs/rules/npu.md 2.6).
[[nodiscard]] TileSizes matmulTile(const NpuHardware& hardware, const ProductToCut& product,
                                   const NodeLimits& limits);

/// The default tile of a convolution (docs/rules/npu.md 2.6). Nonzero fields of `wish` are kept.
/// `accumulated`: whether the input (weights) may lie in SPM as accumulators.
[[nodiscard]] TileSizes convTile(const NpuModel& model, const NpuHardware& hardware, const ModelOp& op,
                                 const TileSizes& wish, const std::array<bool, 2>& accumulated,
                                 const NodeLimits& limits);

/// The default tiles of a model's operators (docs/rules/npu.md 2.6). The model and the hardware must outlive
/// the object.
class DefaultTiles
{
public:
    /// `mostNodes`: limit of the nodes of the whole model, divided among its operators (NodeLimits::most); 0:
    /// no limit.
    DefaultTiles(const NpuModel& model, const NpuHardware& hardware, std::size_t mostNodes = 0);

    /// Default tile sizes of a matmul or a convolution. Nonzero fields of `wish` are kept.
    [[nodiscard]] TileSizes of(const ModelOp& op, const TileSizes& wish);
    /// Number of elements of a default block of a vector operator.
    [[nodiscard]] std::int64_t vectorElements(const ModelOp& op) const;
    /// Number of query rows of a default attention chunk, at most `most`.
    [[nodiscard]] std::int64_t queries(const ModelOp& op, std::int64_t most) const;
    /// Number of nodes that the default tile of one operator should not exceed (NodeLimits::preferred).
    [[nodiscard]] std::int64_t mostNodes() const noexcept { return m_limits.preferred; }

private:
    const NpuModel& m_model;
    const NpuHardware& m_hw;
    NodeLimits m_limits;
    std::vector<bool> m_accumulated; ///< per tensor: true if a matmul or a convolution produces it
    /// Known tiles; key: all values that the sizes depend on.
    std::map<std::vector<std::int64_t>, TileSizes> m_known;
};

} // namespace tilewright::npu
