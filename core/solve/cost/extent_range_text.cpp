// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost/extent_range_text.h"

#include "base/integer.h"
#include "base/text.h"
#include "base/typed_number.h"

#include <cstdint>

namespace tilewright {

namespace {

Result<std::int64_t> readExtent(std::string_view text)
{
    auto size = readInteger(text);
    if (size && (*size < 1 || *size > kMaxDimension))
        return Error{ErrorCode::Refused,
                     quotedExcerpt(text) + " is no size of a tile: sizes are 1 to " +
                         formatGrouped(kMaxDimension),
                     {},
                     {}};
    return size;
}

} // namespace

std::string extentRangeText(const ExtentRange& range)
{
    if (range.least == range.most)
        return formatGrouped(range.least);
    if (range.most == ExtentRange().most)
        return "at least " + formatGrouped(range.least);
    if (range.least <= 1)
        return "at most " + formatGrouped(range.most);
    return formatGrouped(range.least) + " to " + formatGrouped(range.most);
}

Result<ExtentRange> readExtentRange(std::string_view text)
{
    constexpr std::string_view kLeast = "at least ", kMost = "at most ", kTo = " to ";
    ExtentRange out;
    if (text.empty())
        return out;
    const bool hasLeast = !text.starts_with(kMost), hasMost = !text.starts_with(kLeast);
    const std::size_t to = hasLeast && hasMost ? text.find(kTo) : std::string_view::npos;
    const bool isPair = to != std::string_view::npos;
    if (hasLeast) {
        const auto least = readExtent(isPair ? text.substr(0, to) : text.substr(hasMost ? 0 : kLeast.size()));
        if (!least)
            return least.error();
        out.least = *least;
    }
    if (hasMost) {
        const auto most =
            readExtent(isPair ? text.substr(to + kTo.size()) : text.substr(hasLeast ? 0 : kMost.size()));
        if (!most)
            return most.error();
        out.most = *most;
    }
    if (out.least > out.most)
        return Error{ErrorCode::Refused,
                     quotedExcerpt(text) + " is no range: the first size is more than the second",
                     {},
                     {}};
    return out;
}

} // namespace tilewright
