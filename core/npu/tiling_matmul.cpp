// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>

namespace tilewright::npu {

bool matmulFits(const NpuHardware& hw, int dtypeBytes, const TileSizes& t) noexcept
{
    return 2 * (t.m * t.k + t.k * t.n) * dtypeBytes + t.m * t.n * hw.accumulatorBytes <= hw.spmBytes;
}

TileSizes matmulTile(const NpuHardware& hw, int dtypeBytes, std::int64_t m, std::int64_t n, std::int64_t k,
                     TileSizes wish)
{
    TileSizes t;
    t.m = std::min(m, wish.m > 0 ? wish.m : hw.engineRows);
    t.n = std::min(n, wish.n > 0 ? wish.n : hw.engineCols);
    t.k = std::min(k, wish.k > 0 ? wish.k : kMatmulDepth);
    // Wide blocks read the operands least often, so they come first, the smaller side before the larger; a
    // block that leaves less than a chain a core is too wide.
    const std::int64_t enough = std::min<std::int64_t>(kMaxCores, ceilDiv(m, t.m) * ceilDiv(n, t.n));
    const auto grow = [&](std::int64_t TileSizes::*field, std::int64_t step, std::int64_t limit,
                          std::int64_t fixed) {
        TileSizes larger = t;
        larger.*field = std::min(limit, t.*field + step);
        if (fixed > 0 || t.*field >= limit || !matmulFits(hw, dtypeBytes, larger) ||
            ceilDiv(m, larger.m) * ceilDiv(n, larger.n) < enough)
            return false;
        t = larger;
        return true;
    };
    const auto growRows = [&] { return grow(&TileSizes::m, hw.engineRows, m, wish.m); };
    const auto growCols = [&] { return grow(&TileSizes::n, hw.engineCols, n, wish.n); };
    while (t.m < t.n ? growRows() || growCols() : growCols() || growRows()) {
    }
    // As many blocks of about one size.
    if (wish.m == 0)
        t.m = std::min(t.m, roundUp(ceilDiv(m, ceilDiv(m, t.m)), hw.engineRows));
    if (wish.n == 0)
        t.n = std::min(t.n, roundUp(ceilDiv(n, ceilDiv(n, t.n)), hw.engineCols));
    while (grow(&TileSizes::k, kMatmulDepth, k, wish.k)) {
    }
    return t;
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
                    node.inputs.pop_back(); // A times itself, in one tile
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
