// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/method.h"

namespace tilewright::mapping {

std::string_view levelName(Level level)
{
    constexpr std::array<std::string_view, kLevels> names{"DRAM", "SPM", "RF", "SPATIAL"};
    return names[static_cast<std::size_t>(level)];
}

Method trivialMethod(const LoopNest& nest)
{
    Method out;
    for (Factors& f : out.tiling)
        f.fill(1);
    out.at(Level::Dram) = nest.trips;
    return out;
}

OrderClasses orderClasses(const LoopNest& nest, const Factors& factors) noexcept
{
    OrderClasses out;
    unsigned active = 0; // loops with a factor above 1
    for (int l = 0; l < nest.loopCount; ++l)
        if (factors[static_cast<std::size_t>(l)] > 1)
            active |= 1u << l;
    // An innermost loop that indexes every operand gives no reuse.
    if (active == 0 || (active & nest.neutralMask) != 0)
        out.add({});
    for (int op = 0; op < kOperands; ++op) {
        const Operand& operand = nest.operands[static_cast<std::size_t>(op)];
        const unsigned free = active & operand.freeMask;
        if (free == 0)
            continue;
        const bool stops = (active & operand.indexMask) != 0;
        // Every non-empty subset, or only the full set if no loop can separate a part of it from the rest.
        for (unsigned subset = free; subset != 0; subset = (subset - 1) & free) {
            std::int64_t reuse = 1;
            for (int l = 0; l < nest.loopCount; ++l)
                if ((subset >> l & 1u) != 0)
                    reuse *= factors[static_cast<std::size_t>(l)];
            out.add({op, subset, reuse});
            if (!stops)
                break;
        }
    }
    return out;
}

LoopOrder orderOf(const LoopNest& nest, const OrderClass& orderClass) noexcept
{
    LoopOrder out{0, 1, 2, 3, 4, 5, 6};
    int next = 0;
    const auto place = [&](unsigned mask) {
        for (int l = 0; l < nest.loopCount; ++l)
            if ((mask >> l & 1u) != 0)
                out[static_cast<std::size_t>(next++)] = l;
    };
    const unsigned all = (1u << nest.loopCount) - 1u;
    if (orderClass.operand < 0) {
        place(all & ~nest.neutralMask);
        place(nest.neutralMask);
        return out;
    }
    // Loops that index the operand go between the subset and its other free loops, so that the reuse ends
    // there.
    const Operand& operand = nest.operands[static_cast<std::size_t>(orderClass.operand)];
    place(operand.freeMask & ~orderClass.subset);
    place(operand.indexMask);
    place(orderClass.subset);
    return out;
}

std::int64_t reuseOf(const LoopNest& nest, int operand, const Factors& factors,
                     const LoopOrder& order) noexcept
{
    std::int64_t reuse = 1;
    for (int i = nest.loopCount - 1; i >= 0; --i) {
        const int loop = order[static_cast<std::size_t>(i)];
        const std::int64_t factor = factors[static_cast<std::size_t>(loop)];
        if (factor == 1)
            continue;
        if ((nest.operands[static_cast<std::size_t>(operand)].indexMask >> loop & 1u) != 0)
            break;
        reuse *= factor;
    }
    return reuse;
}

} // namespace tilewright::mapping
