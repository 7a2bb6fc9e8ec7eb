// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "npu/tile_graph_builder.h"

#include <algorithm>
#include <vector>

namespace tilewright::npu {

/// Sizes of one convolution, and the blocks of its tiles (docs/rules/npu.md 2.2).
struct ConvShape
{
    const ModelOp& op;
    const NpuHardware& hw;
    int dtype; ///< bytes of the widest element
    std::int64_t images, cIn, hIn, wIn, cOut, kh, kw, hOut, wOut;
    std::int64_t cInGroup, cOutGroup;

    ConvShape(const NpuModel& model, const NpuHardware& hardware, const ModelOp& o)
        : op(o), hw(hardware), dtype(model.widestBytes(o))
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
    /// Largest number of input rows (columns) that a block of `rows` output rows (columns) reads.
    [[nodiscard]] std::int64_t inputRows(std::int64_t rows) const
    {
        return std::min(hIn, (rows - 1) * op.stride[0] + op.dilation[0] * (kh - 1) + 1);
    }
    [[nodiscard]] std::int64_t inputCols(std::int64_t cols) const
    {
        return std::min(wIn, (cols - 1) * op.stride[1] + op.dilation[1] * (kw - 1) + 1);
    }
    /// Elements of the input (weights) that a node of this tile reads.
    [[nodiscard]] std::int64_t inputOf(const TileSizes& t) const
    {
        return groupsOf(t.cOut) * t.cIn * inputRows(t.height) * inputCols(t.width);
    }
    [[nodiscard]] std::int64_t weightsOf(const TileSizes& t) const { return t.cOut * t.cIn * kh * kw; }

    /// True if a node of this tile, with `sets` copies of its operands, fits into the SPM of a core.
    [[nodiscard]] bool fits(const TileSizes& t, int sets = 2) const
    {
        const std::int64_t inputs = (inputOf(t) + weightsOf(t)) * dtype;
        return sets * inputs + t.cOut * t.height * t.width * hw.accumulatorBytes <= hw.spmBytes;
    }

    /// Cycles of a node of this tile, whose `t.cOut` output channels belong to one group or form whole
    /// groups. The groups are computed one after another; an array with fixed loops computes depthwise groups
    /// on its outputs in parallel. `drain`: includes the drain of the array.
    [[nodiscard]] Cycle cyclesOf(const TileSizes& t, bool drain) const
    {
        const std::int64_t groups = groupsOf(t.cOut);
        ArrayWork work{
            {1, t.cOut / groups, t.cIn, t.height, t.width, kh, kw}, 1, op.stride[0] * op.stride[1]};
        if (hw.fixed) {
            work.groups = groups;
            return tensorCycles(hw, work, op.rate, drain);
        }
        return (groups - 1) * tensorCycles(hw, work, op.rate, false) + tensorCycles(hw, work, op.rate, drain);
    }

    /// Size of a block of output channels, near `wish`. A block lies in one group or consists of whole
    /// groups.
    [[nodiscard]] std::int64_t channelBlock(std::int64_t wish) const
    {
        if (wish >= cOut)
            return cOut;
        return wish <= cOutGroup ? wish : roundDown(wish, cOutGroup);
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

} // namespace tilewright::npu
