// SPDX-License-Identifier: GPL-3.0-or-later
// The default tile of a convolution (docs/rules/npu.md 2.6).
#include "npu/conv_shape.h"
#include "npu/tile_choice.h"

#include <map>
#include <utility>

namespace tilewright::npu {

namespace {

/// Lists the candidate tiles of a convolution and chooses one.
class ConvCut
{
public:
    ConvCut(const NpuModel& model, const NpuHardware& hw, const ModelOp& op, const TileSizes& wish,
            std::array<bool, 2> accumulated)
        : m_hw(hw), m_s(model, hw, op), m_wish(wish), m_accumulated(accumulated),
          m_x(packedTensor({m_s.images, m_s.cIn, m_s.hIn, m_s.wIn}, model.bitsOf(op.inputs[0]))),
          m_w(packedTensor({m_s.cOut, m_s.cInGroup, m_s.kh, m_s.kw}, model.bitsOf(op.inputs[1]))),
          m_y(packedTensor({m_s.images, m_s.cOut, m_s.hOut, m_s.wOut}, model.bitsOf(op.outputs[0])))
    {
    }

    [[nodiscard]] TileSizes best(const NodeLimits& limits) const
    {
        if (const auto found = bestTile(
                m_hw, limits, [this](TileChoice& c, bool finer, int sets) { offerAll(c, finer, sets); }))
            return *found;
        TileSizes t; // smallest tile, if none fits with two sets of operands
        t.cOut = m_s.channelBlock(std::max<std::int64_t>(m_wish.cOut, 1));
        t.cIn = t.cOut <= m_s.cOutGroup ? std::min(m_s.cInGroup, std::max<std::int64_t>(m_wish.cIn, 1))
                                        : m_s.cInGroup;
        t.height = std::min(m_s.hOut, std::max<std::int64_t>(m_wish.height, 1));
        t.width = std::min(m_s.wOut, std::max<std::int64_t>(m_wish.width, 1));
        return t;
    }

private:
    void offerAll(TileChoice& choice, bool finer, int sets) const
    {
        BlockSizes channels;
        for (const std::int64_t c : blockSizesOf(m_s.cOut, m_hw.engineCols, m_wish.cOut, finer))
            channels.push_back(m_s.channelBlock(c));
        const std::int64_t rows = m_hw.engineRows;
        for (const std::int64_t cOut : distinctSizes(std::move(channels))) {
            // The blocks of a chain over input channels stay inside one group.
            const BlockSizes depths = cOut > m_s.cOutGroup ? BlockSizes{m_s.cInGroup}
                                                           : blockSizesOf(m_s.cInGroup, 1, m_wish.cIn, false);
            for (const std::int64_t cIn : depths)
                for (const std::int64_t width : blockSizesOf(m_s.wOut, rows, m_wish.width, finer))
                    for (const std::int64_t height : blockSizesOf(m_s.hOut, 1, m_wish.height, false)) {
                        TileSizes t;
                        t.cOut = cOut, t.cIn = cIn, t.width = width, t.height = height;
                        if (m_s.fits(t, sets) &&
                            fitsOnce(m_hw, m_s.dtype, m_accumulated, {m_s.inputOf(t), m_s.weightsOf(t)},
                                     t.cOut * t.height * t.width))
                            choice.offer(t, gridOf(t));
                    }
        }
    }

    [[nodiscard]] BlockGrid gridOf(const TileSizes& t) const
    {
        BlockGrid g;
        const bool inGroup = t.cOut < m_s.cOutGroup;
        const auto channels = blocksOf(inGroup ? m_s.cOutGroup : m_s.cOut, t.cOut);
        const std::int64_t copies = m_s.images * (inGroup ? m_s.op.groups : 1);
        g.rows = copies * (channels[0].count + channels[1].count);
        g.cols = ceilDiv(m_s.hOut, t.height) * ceilDiv(m_s.wOut, t.width);
        g.parts = ceilDiv(m_s.cInGroup, t.cIn);
        g.innerOfRow = m_s.op.groups > 1;
        for (const BlocksOf& c : channels)
            for (const BlocksOf& h : blocksOf(m_s.hOut, t.height))
                for (const BlocksOf& w : blocksOf(m_s.wOut, t.width))
                    if (c.count > 0 && h.count > 0 && w.count > 0)
                        g.tensorCycles += static_cast<double>(copies * c.count * h.count * w.count) *
                                          static_cast<double>(chainCycles(c.size, h.size, w.size, t.cIn));
        const std::int64_t inputs = m_s.groupsOf(t.cOut) * t.cIn, across = ceilDiv(m_s.wOut, t.width);
        const std::int64_t height =
            std::min(m_s.hOut, t.height * ceilDiv(g.columnsAtOnce(m_hw.cores), across));
        const std::int64_t width = std::min(m_s.wOut, t.width * std::min<std::int64_t>(across, m_hw.cores));
        g.outer = move(m_w, {t.cOut, t.cIn, m_s.kh, m_s.kw});
        g.inner = move(m_x, {1, inputs, m_s.inputRows(t.height), m_s.inputCols(t.width)});
        g.innerAtOnce = move(m_x, {1, inputs, m_s.inputRows(height), m_s.inputCols(width)});
        g.result = move(m_y, {1, t.cOut, t.height, t.width});
        g.resultAtOnce = move(m_y, {1, t.cOut, height, width});
        g.outerBytes = static_cast<double>(m_s.weightsOf(t) * m_s.dtype);
        g.innerBytes = static_cast<double>(m_s.inputOf(t) * m_s.dtype);
        g.resultBytes = static_cast<double>(t.cOut * t.height * t.width * m_hw.accumulatorBytes);
        return g;
    }

    [[nodiscard]] TileMove move(const NpuTensor& tensor,
                                const std::array<std::int64_t, kMaxRank>& shape) const
    {
        const auto [known, isNew] = m_moves.try_emplace({&tensor, shape});
        if (isNew)
            known->second = moveOf(m_hw.dram, tensor, cornerTile(shape));
        return known->second;
    }

    /// Cycles of a block of the result: one node for each part of the input channels, one after another.
    [[nodiscard]] Cycle chainCycles(std::int64_t channels, std::int64_t height, std::int64_t width,
                                    std::int64_t step) const
    {
        const std::int64_t parts = ceilDiv(m_s.cInGroup, step);
        TileSizes t;
        t.cOut = channels, t.height = height, t.width = width, t.cIn = step;
        const Cycle whole = parts > 1 ? (parts - 1) * m_s.cyclesOf(t, false) : 0;
        t.cIn = m_s.cInGroup - (parts - 1) * step;
        return whole + m_s.cyclesOf(t, true);
    }

    const NpuHardware& m_hw;
    ConvShape m_s;
    TileSizes m_wish;
    std::array<bool, 2> m_accumulated; ///< whether the input (weights) may lie in SPM as accumulators
    NpuTensor m_x, m_w, m_y;
    mutable std::map<std::pair<const NpuTensor*, std::array<std::int64_t, kMaxRank>>, TileMove> m_moves;
};

} // namespace

TileSizes convTile(const NpuModel& model, const NpuHardware& hw, const ModelOp& op, const TileSizes& wish,
                   const std::array<bool, 2>& accumulated, const NodeLimits& limits)
{
    return ConvCut(model, hw, op, wish, accumulated).best(limits);
}

} // namespace tilewright::npu
