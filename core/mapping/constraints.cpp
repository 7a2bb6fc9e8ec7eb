// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/constraints.h"

#include "base/integer.h"

#include <algorithm>
#include <charconv>

namespace tilewright::mapping {

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
