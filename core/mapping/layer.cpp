// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/layer.h"

#include "base/integer.h"
#include "base/text.h"

#include <algorithm>

namespace tilewright::mapping {

namespace {

/// Largest number of multiply-accumulates of a layer. Above it, cycles of bad methods could exceed 64 bits.
constexpr std::int64_t kMaxMacs = std::int64_t{1} << 50;

enum ConvLoop { LoopN, LoopM, LoopC, LoopOx, LoopOy, LoopFx, LoopFy };
enum GemmLoop { LoopX, LoopY, LoopK };

Operand operand(std::string_view name, std::initializer_list<Dimension> dimensions, int loopCount)
{
    Operand out;
    out.name = name;
    for (const Dimension& d : dimensions) {
        out.dimensions[static_cast<std::size_t>(out.dimensionCount++)] = d;
        out.indexMask |= 1u << d.loop;
        if (d.filterLoop >= 0)
            out.indexMask |= 1u << d.filterLoop;
    }
    out.freeMask = ((1u << loopCount) - 1u) & ~out.indexMask;
    return out;
}

Status finish(LoopNest& nest)
{
    nest.macs = 1;
    for (int l = 0; l < nest.loopCount; ++l) {
        const auto product = checkedMul(nest.macs, nest.trips[static_cast<std::size_t>(l)]);
        if (!product || *product > kMaxMacs)
            return problemError({}, "the layer has more than " + formatGrouped(kMaxMacs) +
                                        " multiply-accumulates");
        nest.macs = *product;
    }
    for (const Operand& o : nest.operands) {
        std::int64_t size = 1;
        for (int i = 0; i < o.dimensionCount; ++i) {
            const auto product = checkedMul(size, o.dimensions[static_cast<std::size_t>(i)].stored);
            if (!product || *product > kMaxMacs)
                return problemError({}, "operand " + std::string(o.name) + " has more than " +
                                            formatGrouped(kMaxMacs) + " elements");
            size = *product;
        }
    }
    nest.neutralMask = (1u << nest.loopCount) - 1u;
    for (const Operand& o : nest.operands)
        nest.neutralMask &= o.indexMask;
    return Unit{};
}

Status checkPositive(std::initializer_list<std::pair<const char*, std::int64_t>> fields)
{
    for (const auto& [name, value] : fields) {
        if (value < 1)
            return problemError(name, "expected a whole number of at least 1, got " + std::to_string(value));
        if (value > kMaxDimension)
            return problemError(name, "expected at most " + formatGrouped(kMaxDimension) + ", got " +
                                          formatGrouped(value));
    }
    return Unit{};
}

Result<LoopNest> makeGemm(const Layer& layer)
{
    if (auto s = checkPositive({{"m", layer.m}, {"n", layer.n}, {"k", layer.k}}); !s)
        return s.error();
    LoopNest nest;
    nest.kind = LayerKind::Gemm;
    nest.loopCount = 3;
    std::ranges::copy(kGemmLoops, nest.loopNames.begin());
    nest.trips[LoopX] = layer.m;
    nest.trips[LoopY] = layer.n;
    nest.trips[LoopK] = layer.k;
    nest.operands = {operand("A", {{LoopX, -1, layer.m}, {LoopK, -1, layer.k}}, 3),
                     operand("B", {{LoopK, -1, layer.k}, {LoopY, -1, layer.n}}, 3),
                     operand("C", {{LoopX, -1, layer.m}, {LoopY, -1, layer.n}}, 3)};
    if (auto s = finish(nest); !s)
        return s.error();
    return nest;
}

Result<LoopNest> makeConv(const Layer& layer)
{
    if (auto s = checkPositive({{"batch", layer.batch},
                                {"in_channels", layer.inChannels},
                                {"out_channels", layer.outChannels},
                                {"height", layer.height},
                                {"width", layer.width},
                                {"kernel[0]", layer.kernel[0]},
                                {"kernel[1]", layer.kernel[1]},
                                {"stride[0]", layer.stride[0]},
                                {"stride[1]", layer.stride[1]},
                                {"dilation[0]", layer.dilation[0]},
                                {"dilation[1]", layer.dilation[1]},
                                {"groups", layer.groups}});
        !s)
        return s.error();
    if (layer.padding < 0 || layer.padding > kMaxDimension)
        return problemError("padding",
                            "expected a whole number from 0, got " + std::to_string(layer.padding));
    const bool depthwise = layer.kind == LayerKind::DwConv;
    if (depthwise && layer.outChannels != layer.inChannels)
        return problemError("out_channels", "a dwconv layer has as many output as input channels (" +
                                                std::to_string(layer.inChannels) + "), got " +
                                                std::to_string(layer.outChannels));
    if (depthwise && layer.groups != 1)
        return problemError("groups", "a dwconv layer has no groups: each channel is a group");
    for (const auto& [name, channels] :
         {std::pair{"in_channels", layer.inChannels}, std::pair{"out_channels", layer.outChannels}})
        if (channels % layer.groups != 0)
            return problemError("groups", "must divide the " + std::string(name) + " (" +
                                              std::to_string(channels) + "), got " +
                                              std::to_string(layer.groups));
    const std::int64_t inChannels = layer.inChannels / layer.groups;
    const std::int64_t outChannels = layer.outChannels / layer.groups;
    // Extent of the dilated kernel; fits 64 bits, since kernel and dilation are at most 2^31 each.
    const std::int64_t spanRows = (layer.kernel[0] - 1) * layer.dilation[0] + 1;
    const std::int64_t spanColumns = (layer.kernel[1] - 1) * layer.dilation[1] + 1;
    const std::int64_t rows = layer.height + 2 * layer.padding;
    const std::int64_t columns = layer.width + 2 * layer.padding;
    if (spanRows > rows)
        return problemError("kernel[0]", "the kernel height " + std::to_string(spanRows) +
                                             " is larger than the padded input height " +
                                             std::to_string(rows));
    if (spanColumns > columns)
        return problemError("kernel[1]", "the kernel width " + std::to_string(spanColumns) +
                                             " is larger than the padded input width " +
                                             std::to_string(columns));
    LoopNest nest;
    nest.kind = layer.kind;
    nest.loopNames = kConvLoops;
    nest.trips = {layer.batch,
                  depthwise ? 1 : outChannels,
                  inChannels,
                  (rows - spanRows) / layer.stride[0] + 1,
                  (columns - spanColumns) / layer.stride[1] + 1,
                  layer.kernel[0],
                  layer.kernel[1]};
    const Dimension batch{LoopN, -1, layer.batch};
    const Dimension channel{LoopC, -1, inChannels};
    const Dimension filter{LoopM, -1, outChannels};
    const Dimension kernelRow{LoopFx, -1, layer.kernel[0]};
    const Dimension kernelColumn{LoopFy, -1, layer.kernel[1]};
    const Dimension outRow{LoopOx, -1, nest.trips[LoopOx]};
    const Dimension outColumn{LoopOy, -1, nest.trips[LoopOy]};
    nest.operands[0] = operand("I",
                               {batch,
                                channel,
                                {LoopOx, LoopFx, rows, layer.stride[0], layer.dilation[0]},
                                {LoopOy, LoopFy, columns, layer.stride[1], layer.dilation[1]}},
                               7);
    if (depthwise) {
        nest.operands[1] = operand("W", {channel, kernelRow, kernelColumn}, 7);
        nest.operands[2] = operand("O", {batch, channel, outRow, outColumn}, 7);
    } else {
        nest.operands[1] = operand("W", {filter, channel, kernelRow, kernelColumn}, 7);
        nest.operands[2] = operand("O", {batch, filter, outRow, outColumn}, 7);
    }
    if (auto s = finish(nest); !s)
        return s.error();
    return nest;
}

} // namespace

std::string_view kindName(LayerKind kind)
{
    switch (kind) {
    case LayerKind::Conv:
        return "conv";
    case LayerKind::DwConv:
        return "dwconv";
    case LayerKind::Gemm:
        break;
    }
    return "gemm";
}

int operandByName(std::string_view name) noexcept
{
    for (std::size_t op = 0; op < kOperands; ++op)
        if (std::ranges::find(kOperandNames[op], name) != kOperandNames[op].end())
            return static_cast<int>(op);
    return -1;
}

int LoopNest::loopByName(std::string_view name) const noexcept
{
    for (int l = 0; l < loopCount; ++l)
        if (loopNames[static_cast<std::size_t>(l)] == name)
            return l;
    return -1;
}

Result<LoopNest> makeNest(const Layer& layer)
{
    return layer.kind == LayerKind::Gemm ? makeGemm(layer) : makeConv(layer);
}

std::string describe(const Layer& layer)
{
    const auto text = [](std::int64_t v) { return std::to_string(v); };
    if (layer.kind == LayerKind::Gemm)
        return "gemm " + text(layer.m) + "x" + text(layer.n) + "x" + text(layer.k);
    std::string out = layer.kind == LayerKind::DwConv ? "dw " : "";
    out += text(layer.kernel[0]) + "x" + text(layer.kernel[1]) + " ";
    out += layer.kind == LayerKind::DwConv ? text(layer.inChannels)
                                           : text(layer.inChannels) + "->" + text(layer.outChannels);
    out += ", " + text(layer.height) + "x" + text(layer.width);
    const auto pair = [&](const char* what, const std::array<std::int64_t, 2>& sizes) {
        if (sizes != std::array<std::int64_t, 2>{1, 1})
            out += what + text(sizes[0]) + (sizes[0] == sizes[1] ? "" : "x" + text(sizes[1]));
    };
    pair(", stride ", layer.stride);
    pair(", dilation ", layer.dilation);
    if (layer.groups != 1)
        out += ", " + text(layer.groups) + " groups";
    if (layer.batch != 1)
        out += ", batch " + text(layer.batch);
    return out;
}

} // namespace tilewright::mapping
