// SPDX-License-Identifier: GPL-3.0-or-later
// The default tile of a matrix product (docs/rules/npu.md 2.6).
#include "npu/tile_choice.h"

#include <optional>

namespace tilewright::npu {

namespace {

/// Lists the candidate tiles of a product with their estimated DRAM costs, and chooses one.
class ProductCut
{
public:
    ProductCut(const NpuHardware& hw, const ProductToCut& product) : m_hw(hw), m_p(product)
    {
        const MatmulShape& s = m_p.shape;
        m_a = packedTensor({s.m, s.k, 1, 1}, m_p.bits[0]);
        m_b = packedTensor({s.k, s.n, 1, 1}, m_p.bits[1]);
        m_c = packedTensor({s.m, s.n, 1, 1}, m_p.bits[2]);
    }

    [[nodiscard]] TileSizes best(const NodeLimits& limits) const
    {
        const auto found =
            bestTile(m_hw, limits, [this](TileChoice& c, bool finer, int sets) { offerAll(c, finer, sets); });
        return found.value_or(smallest());
    }

private:
    void offerAll(TileChoice& choice, bool finer, int sets) const
    {
        const MatmulShape& s = m_p.shape;
        const BlockSizes ms = blockSizesOf(s.m, m_hw.engineRows, m_p.wish.m, finer),
                         ns = blockSizesOf(s.n, m_hw.engineCols, m_p.wish.n, finer),
                         ks = blockSizesOf(s.k, kMatmulDepth, m_p.wish.k, finer);
        std::vector<TileMove> lhs, rhs, rhsAtOnce;
        const auto atOnce = [&](std::int64_t n) { return std::min(s.n, n * std::int64_t{m_hw.cores}); };
        for (const std::int64_t m : ms)
            for (const std::int64_t k : ks)
                lhs.push_back(moveOf(m_hw.dram, m_a, cornerTile({m, k, 1, 1})));
        for (const std::int64_t n : ns)
            for (const std::int64_t k : ks) {
                rhs.push_back(moveOf(m_hw.dram, m_b, cornerTile({k, n, 1, 1})));
                rhsAtOnce.push_back(moveOf(m_hw.dram, m_b, cornerTile({k, atOnce(n), 1, 1})));
            }
        for (std::size_t i = 0; i < ms.size(); ++i)
            for (std::size_t j = 0; j < ns.size(); ++j) {
                std::optional<TileMove> out, outAtOnce;
                for (std::size_t d = 0; d < ks.size(); ++d) {
                    TileSizes t;
                    t.m = ms[i], t.n = ns[j], t.k = ks[d];
                    if (!matmulFits(m_hw, m_p.widestBytes, t, sets) ||
                        !fitsOnce(m_hw, m_p.widestBytes, m_p.accumulated, {t.m * t.k, t.k * t.n}, t.m * t.n))
                        continue;
                    if (!out) {
                        out = moveOf(m_hw.dram, m_c, cornerTile({t.m, t.n, 1, 1}));
                        outAtOnce = moveOf(m_hw.dram, m_c, cornerTile({t.m, atOnce(t.n), 1, 1}));
                    }
                    choice.offer(t, gridOf(t, lhs[i * ks.size() + d], rhs[j * ks.size() + d],
                                           rhsAtOnce[j * ks.size() + d], *out, *outAtOnce));
                }
            }
    }

    [[nodiscard]] BlockGrid gridOf(const TileSizes& t, const TileMove& lhs, const TileMove& rhs,
                                   const TileMove& rhsAtOnce, const TileMove& out,
                                   const TileMove& outAtOnce) const
    {
        const MatmulShape& s = m_p.shape;
        BlockGrid g;
        g.rows = s.batches() * ceilDiv(s.m, t.m);
        g.cols = ceilDiv(s.n, t.n);
        g.parts = ceilDiv(s.k, t.k);
        for (const BlocksOf& m : blocksOf(s.m, t.m))
            for (const BlocksOf& n : blocksOf(s.n, t.n))
                if (m.count > 0 && n.count > 0)
                    g.tensorCycles += static_cast<double>(s.batches() * m.count * n.count) *
                                      static_cast<double>(chainCycles(m.size, n.size, t.k));
        g.outer = lhs, g.inner = rhs, g.innerAtOnce = rhsAtOnce, g.result = out, g.resultAtOnce = outAtOnce;
        g.outerBytes = static_cast<double>(t.m * t.k * m_p.widestBytes);
        g.innerBytes = static_cast<double>(t.k * t.n * m_p.widestBytes);
        g.resultBytes = static_cast<double>(t.m * t.n * m_hw.accumulatorBytes);
        return g;
    }

    [[nodiscard]] Cycle chainCycles(std::int64_t m, std::int64_t n, std::int64_t step) const
    {
        const std::int64_t k = m_p.shape.k, last = k - (ceilDiv(k, step) - 1) * step;
        return (ceilDiv(k, step) - 1) * tensorCycles(m_hw, productWork(m, n, step), m_p.rate, false) +
               tensorCycles(m_hw, productWork(m, n, last), m_p.rate, true);
    }

    /// Smallest tile, for products of which no tile fits with two sets of operands: requested sizes are kept,
    /// other sizes are 1.
    [[nodiscard]] TileSizes smallest() const
    {
        TileSizes t = m_p.wish;
        t.m = std::min(m_p.shape.m, std::max<std::int64_t>(t.m, 1));
        t.n = std::min(m_p.shape.n, std::max<std::int64_t>(t.n, 1));
        t.k = std::min(m_p.shape.k, std::max<std::int64_t>(t.k, 1));
        return t;
    }

    const NpuHardware& m_hw;
    const ProductToCut& m_p;
    NpuTensor m_a, m_b, m_c;
};

} // namespace

ProductToCut productToCut(const NpuModel& model, const ModelOp& op)
{
    return {matmulShape(model, op),
            {model.bitsOf(op.inputs[0]), model.bitsOf(op.inputs[1]), model.bitsOf(op.outputs[0])},
            model.widestBytes(op),
            op.tile,
            {},
            op.rate};
}

bool matmulFits(const NpuHardware& hw, int dtypeBytes, const TileSizes& t, int sets) noexcept
{
    return sets * (t.m * t.k + t.k * t.n) * dtypeBytes + t.m * t.n * hw.accumulatorBytes <= hw.spmBytes;
}

TileSizes matmulTile(const NpuHardware& hw, const ProductToCut& product, const NodeLimits& limits)
{
    const MatmulShape& s = product.shape;
    TileSizes t = product.wish;
    if (t.m > 0 && t.n > 0 && t.k > 0) {
        t.m = std::min(t.m, s.m), t.n = std::min(t.n, s.n), t.k = std::min(t.k, s.k);
        return t;
    }
    return ProductCut(hw, product).best(limits);
}

} // namespace tilewright::npu
