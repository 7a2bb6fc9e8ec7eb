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

/// A product, or a batch of products, whose tile is looked for.
struct ProductToCut
{
    MatmulShape shape;
    std::array<std::int64_t, 3> bits; ///< width of an element of A, B and C in 1/1024 bit
    int widestBytes = 2;              ///< bytes of the widest element of A, B and C: the sizes follow from it
    TileSizes wish;                   ///< requested sizes, which are kept; 0 = by the rule
    /// A and B may lie in SPM as the accumulators of the nodes that made them.
    std::array<bool, 2> accumulated{};
    double rate = 1; ///< ModelOp::rate
};
[[nodiscard]] ProductToCut productToCut(const NpuModel& model, const ModelOp& op);

/// Numbers of nodes that the default tile of one operator should not exceed.
struct NodeLimits
{
    std::int64_t preferred = 0; ///< tiles with more nodes are chosen only if no other fits
    /// If no tile with two sets of operands has so few nodes, tiles that fit with one set are candidates,
    /// too.
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// True if a matmul node of this tile fits into the SPM of a core, with so many sets of operands.
[[nodiscard]] bool matmulFits(const NpuHardware& hardware, int dtypeBytes, const TileSizes& tile,
                              int sets = 2) noexcept;
/// The default tile of a matmul (docs/rules/npu.md 2.6).
[[nodiscard]] TileSizes matmulTile(const NpuHardware& hardware, const ProductToCut& product,
                                   const NodeLimits& limits);

/// The default tile of a convolution (docs/rules/npu.md 2.6). Nonzero fields of `wish` are kept.
/// `accumulated`: as in ProductToCut, of the input and the weights.
[[nodiscard]] TileSizes convTile(const NpuModel& model, const NpuHardware& hardware, const ModelOp& op,
                                 const TileSizes& wish, const std::array<bool, 2>& accumulated,
                                 const NodeLimits& limits);

/// The default tiles of a model's operators (docs/rules/npu.md 2.6). The model and the hardware must outlive
/// the object.
class DefaultTiles
{
public:
    /// `mostNodes`: of the model; see NodeLimits::most. 0: as many as there are.
    DefaultTiles(const NpuModel& model, const NpuHardware& hardware, std::size_t mostNodes = 0);

    /// Sizes of a matmul or a convolution. Nonzero fields of `wish` are kept.
    [[nodiscard]] TileSizes of(const ModelOp& op, const TileSizes& wish);
    /// Elements of a block of a vector operator.
    [[nodiscard]] std::int64_t vectorElements(const ModelOp& op) const;
    /// Query rows of an attention chunk, at most `most`.
    [[nodiscard]] std::int64_t queries(const ModelOp& op, std::int64_t most) const;
    /// Number of nodes that the default tile of one operator should not exceed.
    [[nodiscard]] std::int64_t mostNodes() const noexcept { return m_limits.preferred; }

private:
    const NpuModel& m_model;
    const NpuHardware& m_hw;
    NodeLimits m_limits;
    std::vector<bool> m_accumulated; ///< per tensor: a product or a convolution makes it
    std::map<std::vector<std::int64_t>, TileSizes> m_known; ///< by all that the sizes depend on
};

} // namespace tilewright::npu
