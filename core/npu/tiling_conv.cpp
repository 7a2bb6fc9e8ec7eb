// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>

namespace tilewright::npu {

std::pair<std::int64_t, std::int64_t> convInputRange(std::int64_t from, std::int64_t to, std::int64_t kernel,
                                                     std::int64_t stride, std::int64_t padding,
                                                     std::int64_t dilation, std::int64_t in)
{
    const std::int64_t first = from * stride - padding;
    const std::int64_t end = (to - 1) * stride - padding + dilation * (kernel - 1) + 1;
    return {std::max<std::int64_t>(first, 0), std::min(end, in)};
}

namespace {

/// Sizes of one convolution, and the choice of its tile (docs/rules/npu.md 2.2 and 2.6).
struct ConvShape
{
    const ModelOp& op;
    const NpuHardware& hw;
    int dtype;
    std::int64_t images, cIn, hIn, wIn, cOut, kh, kw, hOut, wOut;
    std::int64_t cInGroup, cOutGroup;

    ConvShape(const NpuModel& model, const NpuHardware& hardware, const ModelOp& o)
        : op(o), hw(hardware), dtype(model.dtypeBytes)
    {
        const auto& x = model.tensors[o.inputs[0]].shape;
        const auto& w = model.tensors[o.inputs[1]].shape;
        const auto& y = model.tensors[o.outputs[0]].shape;
        images = x[0], cIn = x[1], hIn = x[2], wIn = x[3];
        cOut = w[0], kh = w[2], kw = w[3];
        hOut = y[2], wOut = y[3];
        cInGroup = cIn / o.groups;
        cOutGroup = cOut / o.groups;
    }

    /// Number of groups that a block of `channels` output channels reads.
    [[nodiscard]] std::int64_t groupsOf(std::int64_t channels) const
    {
        return channels <= cOutGroup ? 1 : channels / cOutGroup;
    }

    [[nodiscard]] bool fits(const TileSizes& t) const
    {
        const std::int64_t rows =
            std::min(hIn, (t.height - 1) * op.stride[0] + op.dilation[0] * (kh - 1) + 1);
        const std::int64_t cols = std::min(wIn, (t.width - 1) * op.stride[1] + op.dilation[1] * (kw - 1) + 1);
        const std::int64_t inputs =
            (groupsOf(t.cOut) * t.cIn * rows * cols + t.cOut * t.cIn * kh * kw) * dtype;
        return 2 * inputs + t.cOut * t.height * t.width * hw.accumulatorBytes <= hw.spmBytes;
    }

    /// Block size near `wish`: a block of output channels lies in one group or consists of whole groups.
    [[nodiscard]] std::int64_t channelBlock(std::int64_t wish) const
    {
        if (wish >= cOut)
            return cOut;
        return wish <= cOutGroup ? wish : roundDown(wish, cOutGroup);
    }

    [[nodiscard]] TileSizes tile() const
    {
        const TileSizes& wish = op.tile;
        TileSizes t;
        t.cOut = channelBlock(wish.cOut > 0 ? wish.cOut : hw.engineCols);
        t.width = std::min(wOut, wish.width > 0 ? wish.width : hw.engineRows);
        t.height = std::min(hOut, wish.height > 0 ? wish.height
                                                  : std::max<std::int64_t>(1, hw.engineRows / t.width));
        t.cIn = cInGroup;
        if (wish.cIn > 0 && t.cOut <= cOutGroup)
            t.cIn = std::min(cInGroup, wish.cIn);
        // If the tile does not fit, first reduce its rows and columns, then split the input channels into a
        // chain.
        while (!fits(t) && wish.height == 0 && t.height > 1)
            t.height = (t.height + 1) / 2;
        while (!fits(t) && t.cOut > cOutGroup && wish.cOut == 0)
            t.cOut = std::max(cOutGroup, roundDown(t.cOut / 2, cOutGroup));
        while (!fits(t) && wish.cIn == 0 && t.cOut <= cOutGroup && t.cIn > 1)
            t.cIn = (t.cIn + 1) / 2;
        const auto tryGrow = [&](std::int64_t TileSizes::*field, std::int64_t size) {
            TileSizes larger = t;
            larger.*field = size;
            if (size <= t.*field || !fits(larger))
                return false;
            t = larger;
            return true;
        };
        for (bool grown = true; grown;) {
            grown = wish.width == 0 && tryGrow(&TileSizes::width, std::min(wOut, t.width + hw.engineRows));
            if (!grown && wish.height == 0)
                grown =
                    tryGrow(&TileSizes::height,
                            std::min(hOut, t.height + std::max<std::int64_t>(1, hw.engineRows / t.width)));
            // The blocks of a chain over input channels must stay inside one group.
            const std::int64_t channels = channelBlock(t.cOut + hw.engineCols);
            if (wish.cOut == 0 && (t.cIn == cInGroup || channels <= cOutGroup))
                grown = tryGrow(&TileSizes::cOut, channels) || grown;
        }
        return t;
    }

    /// Starts of the blocks of output channels. No block crosses the border of a group.
    [[nodiscard]] std::vector<std::int64_t> channelBounds(std::int64_t step) const
    {
        if (step >= cOutGroup || cOut / step > (std::int64_t{1} << 22))
            return blockBounds(0, cOut, step);
        std::vector<std::int64_t> out;
        for (std::int64_t g = 0; g < cOut; g += cOutGroup)
            for (std::int64_t c = g; c < g + cOutGroup; c += step)
                out.push_back(c);
        out.push_back(cOut);
        return out;
    }
};

} // namespace

bool convFits(const NpuModel& model, const NpuHardware& hardware, const ModelOp& op, const TileSizes& tile)
{
    return ConvShape(model, hardware, op).fits(tile);
}

void tileConv(TileGraphBuilder& b, const ModelOp& op)
{
    const ConvShape s(b.model(), b.hardware(), op);
    const TileSizes t = s.tile();
    b.setTile(t);
    const auto x = static_cast<std::uint32_t>(op.inputs[0]);
    const auto w = static_cast<std::uint32_t>(op.inputs[1]);
    const auto y = static_cast<std::uint32_t>(op.outputs[0]);
    ProducerGrid grid;
    grid.bounds = {blockBounds(0, s.images, 1), s.channelBounds(t.cOut), blockBounds(0, s.hOut, t.height),
                   blockBounds(0, s.wOut, t.width)};
    const auto& channels = grid.bounds[1];
    for (std::int64_t image = 0; image < s.images; ++image)
        for (std::size_t c = 0; c + 1 < channels.size(); ++c)
            for (std::int64_t h0 = 0; h0 < s.hOut; h0 += t.height)
                for (std::int64_t w0 = 0; w0 < s.wOut; w0 += t.width) {
                    if (b.tooMany())
                        return;
                    const std::int64_t c0 = channels[c];
                    const std::int64_t ct = channels[c + 1] - c0;
                    const std::int64_t ht = std::min(t.height, s.hOut - h0);
                    const std::int64_t wt = std::min(t.width, s.wOut - w0);
                    const auto [r0, r1] =
                        convInputRange(h0, h0 + ht, s.kh, op.stride[0], op.padding[0], op.dilation[0], s.hIn);
                    const auto [q0, q1] =
                        convInputRange(w0, w0 + wt, s.kw, op.stride[1], op.padding[1], op.dilation[1], s.wIn);
                    const std::int64_t groups = s.groupsOf(ct);
                    const std::int64_t firstIn = c0 / s.cOutGroup * s.cInGroup;
                    const std::uint32_t out = b.tile(y, {image, c0, h0, w0}, {1, ct, ht, wt}, true);
                    std::uint32_t last = 0;
                    for (std::int64_t i0 = 0; i0 < s.cInGroup && !b.tooMany(); i0 += t.cIn) {
                        const std::int64_t it = std::min(t.cIn, s.cInGroup - i0);
                        const bool isLast = i0 + it == s.cInGroup;
                        TileGraphBuilder::NodeSpec node;
                        node.type = NodeType::Conv;
                        node.inputs = {b.tile(x, {image, firstIn + i0, r0, q0},
                                              {1, groups > 1 ? groups * it : it, r1 - r0, q1 - q0}),
                                       b.tile(w, {c0, i0, 0, 0}, {ct, it, s.kh, s.kw})};
                        if (isLast)
                            node.outputs = {out};
                        node.accumulator = out;
                        node.m = ht * wt;
                        node.n = ct / groups;
                        node.k = it * s.kh * s.kw;
                        node.repeats = groups;
                        node.computeCycles =
                            (groups - 1) * tensorCycles(s.hw, node.m, node.n, node.k, false) +
                            tensorCycles(s.hw, node.m, node.n, node.k, isLast);
                        last = b.addNode(std::move(node), i0 > 0);
                    }
                    grid.nodes.push_back(last);
                }
    b.addProducer(y, std::move(grid));
}

} // namespace tilewright::npu
