// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>

namespace tilewright::npu {

bool matmulFits(const NpuHardware& hw, int dtypeBytes, const TileSizes& t) noexcept
{
    return 2 * (t.m * t.k + t.k * t.n) * dtypeBytes + t.m * t.n * hw.accumulatorBytes <= hw.spmBytes;
}

namespace {

/// A tile that grows as long as two sets of its operands fit into SPM.
struct GrowingTile
{
    const NpuHardware& hw;
    int dtypeBytes;
    std::int64_t m, n, k;
    TileSizes wish; ///< requested sizes; nonzero fields are fixed
    TileSizes tile;

    GrowingTile(const NpuHardware& hardware, int dtype, std::int64_t rows, std::int64_t cols,
                std::int64_t depth, const TileSizes& wanted)
        : hw(hardware), dtypeBytes(dtype), m(rows), n(cols), k(depth), wish(wanted)
    {
        tile.m = std::min(m, wish.m > 0 ? wish.m : hw.engineRows);
        tile.n = std::min(n, wish.n > 0 ? wish.n : hw.engineCols);
        tile.k = std::min(k, wish.k > 0 ? wish.k : kMatmulDepth);
    }
    [[nodiscard]] std::int64_t chains(const TileSizes& t) const { return ceilDiv(m, t.m) * ceilDiv(n, t.n); }
    /// Increases a field by `step`. Returns false if the field is fixed or complete, the node would not fit,
    /// or fewer than `leastChains` chains would remain.
    bool grow(std::int64_t TileSizes::*field, std::int64_t step, std::int64_t limit, std::int64_t leastChains)
    {
        TileSizes larger = tile;
        larger.*field = std::min(limit, tile.*field + step);
        if (wish.*field > 0 || tile.*field >= limit || !matmulFits(hw, dtypeBytes, larger) ||
            chains(larger) < leastChains)
            return false;
        tile = larger;
        return true;
    }
    bool growRows(std::int64_t leastChains) { return grow(&TileSizes::m, hw.engineRows, m, leastChains); }
    bool growCols(std::int64_t leastChains) { return grow(&TileSizes::n, hw.engineCols, n, leastChains); }
    void growDepth()
    {
        while (grow(&TileSizes::k, kMatmulDepth, k, 0)) {
        }
    }
};

} // namespace

TileSizes matmulTile(const NpuHardware& hw, int dtypeBytes, std::int64_t m, std::int64_t n, std::int64_t k,
                     TileSizes wish)
{
    GrowingTile t(hw, dtypeBytes, m, n, k, wish);
    t.growDepth();
    for (bool grown = true; grown;) {
        grown = t.growRows(0);
        grown = t.growCols(0) || grown;
    }
    return t.tile;
}

TileSizes wideMatmulTile(const NpuHardware& hw, int dtypeBytes, std::int64_t m, std::int64_t n,
                         std::int64_t k)
{
    GrowingTile t(hw, dtypeBytes, m, n, k, {});
    const std::int64_t enough = std::min<std::int64_t>(kMaxCores, t.chains(t.tile));
    while (t.tile.m < t.tile.n ? t.growRows(enough) || t.growCols(enough)
                               : t.growCols(enough) || t.growRows(enough)) {
    }
    // Balances the sizes: the same number of blocks, of nearly equal size.
    t.tile.m = std::min(t.tile.m, roundUp(ceilDiv(m, ceilDiv(m, t.tile.m)), hw.engineRows));
    t.tile.n = std::min(t.tile.n, roundUp(ceilDiv(n, ceilDiv(n, t.tile.n)), hw.engineCols));
    t.growDepth();
    return t.tile;
}

void tileMatmul(TileGraphBuilder& b, const ModelOp& op)
{
    const auto& a = b.model().tensors[op.inputs[0]].shape;
    const std::int64_t m = a[0];
    const std::int64_t k = a[1];
    const std::int64_t n = b.model().tensors[op.inputs[1]].shape[1];
    const auto tensorA = static_cast<std::uint32_t>(op.inputs[0]);
    const auto tensorB = static_cast<std::uint32_t>(op.inputs[1]);
    const auto tensorC = static_cast<std::uint32_t>(op.outputs[0]);
    const TileSizes t = matmulTile(b.hardware(), b.dtype(), m, n, k, op.tile);
    b.setTile(t);
    ProducerGrid grid;
    grid.bounds = {blockBounds(0, m, t.m), blockBounds(0, n, t.n), {0, 1}, {0, 1}};
    for (std::int64_t m0 = 0; m0 < m; m0 += t.m)
        for (std::int64_t n0 = 0; n0 < n; n0 += t.n) {
            if (b.tooMany())
                return;
            const std::int64_t mt = std::min(t.m, m - m0);
            const std::int64_t nt = std::min(t.n, n - n0);
            const std::uint32_t c = b.tile(tensorC, {m0, n0, 0, 0}, {mt, nt, 1, 1}, true);
            std::uint32_t last = 0;
            for (std::int64_t k0 = 0; k0 < k && !b.tooMany(); k0 += t.k) {
                const std::int64_t kt = std::min(t.k, k - k0);
                const bool isLast = k0 + kt == k;
                TileGraphBuilder::NodeSpec node;
                node.type = NodeType::MatMul;
                node.inputs = {b.tile(tensorA, {m0, k0, 0, 0}, {mt, kt, 1, 1}),
                               b.tile(tensorB, {k0, n0, 0, 0}, {kt, nt, 1, 1})};
                if (node.inputs[0] == node.inputs[1])
                    node.inputs.pop_back(); // product of a tile with itself: one input
                if (isLast)
                    node.outputs = {c};
                node.accumulator = c;
                node.computeCycles = tensorCycles(b.hardware(), mt, nt, kt, isLast);
                node.m = mt;
                node.n = nt;
                node.k = kt;
                last = b.addNode(std::move(node), k0 > 0);
            }
            grid.nodes.push_back(last);
        }
    b.addProducer(tensorC, std::move(grid));
}

} // namespace tilewright::npu
