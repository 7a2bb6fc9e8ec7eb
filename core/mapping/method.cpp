// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/method.h"

#include "base/integer.h"

#include <algorithm>
#include <charconv>

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
    // If the innermost loop indexes every operand, no operand is reused.
    if (active == 0 || (active & nest.neutralMask) != 0)
        out.add({});
    for (int op = 0; op < kOperands; ++op) {
        const Operand& operand = nest.operands[static_cast<std::size_t>(op)];
        const unsigned free = active & operand.freeMask;
        if (free == 0)
            continue;
        const bool stops = (active & operand.indexMask) != 0;
        // Adds a class for every non-empty subset of the free loops, or only for all of them if no other loop
        // can separate some of them from the rest.
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
    // Loops that index the operand are placed between the subset and the operand's other free loops, so that
    // the reuse ends at the subset.
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

Constraints::Constraints() noexcept
{
    for (Factors& f : least)
        f.fill(1);
    for (Factors& f : most)
        f.fill(std::numeric_limits<std::int64_t>::max());
}

bool Constraints::bounds(Level level) const noexcept
{
    const Constraints none;
    const auto i = static_cast<std::size_t>(level);
    return least[i] != none.least[i] || most[i] != none.most[i];
}

bool Constraints::allows(Level level, const Factors& factors) const noexcept
{
    const auto i = static_cast<std::size_t>(level);
    for (std::size_t l = 0; l < kMaxLoops; ++l)
        if (factors[l] < least[i][l] || factors[l] > most[i][l])
            return false;
    return true;
}

bool Constraints::allows(const Method& method) const noexcept
{
    for (std::size_t level = 0; level < kLevels; ++level)
        if (!allows(static_cast<Level>(level), method.tiling[level]))
            return false;
    return true;
}

Result<Constraints> parseConstraints(const LoopNest& nest, const std::vector<std::string>& texts)
{
    Constraints out;
    for (const std::string& text : texts) {
        const auto bad = [&](const std::string& why) {
            return Error{ErrorCode::Field, "\"" + text.substr(0, 60) + "\": " + why, "--factor", {}};
        };
        const std::size_t dot = text.find('.');
        const std::size_t sign = text.find_first_of("<>=");
        if (dot == std::string::npos || sign == std::string::npos || sign < dot)
            return bad("expected LEVEL.LOOP=N, LEVEL.LOOP<=N or LEVEL.LOOP>=N");
        std::size_t level = 0;
        while (level < kLevels && levelName(static_cast<Level>(level)) != text.substr(0, dot))
            ++level;
        if (level == kLevels)
            return bad("the level must be DRAM, SPM, RF or SPATIAL");
        const int loop = nest.loopByName(text.substr(dot + 1, sign - dot - 1));
        if (loop < 0)
            return bad("this layer has no such loop");
        const std::size_t number = text.find_first_not_of("<>=", sign);
        const std::string relation = text.substr(sign, std::min(number, text.size()) - sign);
        std::int64_t value = 0;
        const char* end = text.data() + text.size();
        const char* begin = number == std::string::npos ? end : text.data() + number;
        const auto [stop, code] = std::from_chars(begin, end, value);
        if (code != std::errc{} || stop != end || value < 1 || value > kMaxDimension)
            return bad("expected a whole number from 1 after the sign");
        if (relation != "=" && relation != "<=" && relation != ">=")
            return bad("expected =, <= or >=");
        std::int64_t& least = out.least[level][static_cast<std::size_t>(loop)];
        std::int64_t& most = out.most[level][static_cast<std::size_t>(loop)];
        if (relation != "<=")
            least = std::max(least, value);
        if (relation != ">=")
            most = std::min(most, value);
        if (least > most)
            return bad("contradicts an earlier constraint");
    }
    return out;
}

} // namespace tilewright::mapping
