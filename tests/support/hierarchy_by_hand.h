// SPDX-License-Identifier: GPL-3.0-or-later
// Small machines and layers whose figures are computed by hand (docs/rules/hierarchy.md 6).
#pragma once

#include "hierarchy/evaluate.h"

#include <string>
#include <utility>
#include <vector>

namespace tilewright::hierarchy {

inline LoopNest gemm(std::int64_t x, std::int64_t y, std::int64_t k)
{
    mapping::Layer out;
    out.kind = mapping::LayerKind::Gemm;
    out.m = x;
    out.n = y;
    out.k = k;
    return makeNest(out).value();
}

/// A row of `outputs` outputs of a filter of `taps` taps.
inline LoopNest row(std::int64_t outputs, std::int64_t taps, std::int64_t stride)
{
    mapping::Layer out;
    out.kernel = {1, taps};
    out.stride = {1, stride};
    out.width = (outputs - 1) * stride + taps;
    return makeNest(out).value();
}

inline constexpr int X = 0, Y = 1, K = 2, Oy = 4, Fy = 6;

/// A level without limits that costs nothing.
inline Level level(const std::string& name, std::vector<Axis> axes = {})
{
    Level out;
    out.name = name;
    out.axes = std::move(axes);
    return out;
}

inline Axis axis(const std::string& name, std::int64_t size)
{
    Axis out;
    out.name = name;
    out.size = size;
    return out;
}

inline Architecture machine(std::vector<Level> levels)
{
    Architecture out;
    out.bits = {8, 8, 8};
    out.accumulatorBits = 16;
    out.levels = std::move(levels);
    return out;
}

inline Traffic moved(std::int64_t reads, std::int64_t writes, double readBits, double writeBits)
{
    return {reads, writes, readBits, writeBits};
}

/// docs/rules/hierarchy.md 6: a product of 4 x 2 with k = 4 on two rows of MACs.
struct ByHand
{
    LoopNest nest = gemm(4, 2, 4);
    Architecture architecture = machine({level("DRAM"), level("buffer", {axis("rows", 2)}), level("regs")});
    Mapping mapping{{{{{K, 2}}, {}}, {{{X, 2}, {Y, 2}}, {{"rows", {{X, 2}}}}}, {{{K, 2}}, {}}}};

    ByHand()
    {
        architecture.macPj = 0.5;
        Level& dram = architecture.levels[0];
        dram.readPj = dram.writePj = 8;
        dram.readBytesPerCycle = dram.writeBytesPerCycle = 4;
        Level& buffer = architecture.levels[1];
        buffer.bytes = 56;
        buffer.readPj = buffer.writePj = 1;
        buffer.readBytesPerCycle = buffer.writeBytesPerCycle = 4;
        Level& regs = architecture.levels[2];
        regs.holds = {false, false, true};
        regs.bytes = 2;
        regs.readPj = regs.writePj = 0.125;
    }
    [[nodiscard]] Cost cost() const { return evaluate(nest, architecture, mapping); }
    [[nodiscard]] Traffic at(std::size_t level, std::size_t operand) const
    {
        return cost().levels[level].operands[operand].traffic;
    }
};

inline std::string codeOf(const std::optional<Violation>& violation)
{
    return violation ? std::string(violationName(violation->code)) : std::string();
}

} // namespace tilewright::hierarchy
