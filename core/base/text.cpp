// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <charconv>

namespace tilewright {

std::string formatNumber(double value)
{
    char buffer[64];
    // Plain notation for everyday magnitudes: 11468800 reads better than 1.14688e+07.
    const bool plain = value > -1e15 && value < 1e15;
    const auto end = plain ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed)
                           : std::to_chars(buffer, buffer + sizeof buffer, value);
    if (end.ec == std::errc())
        return {buffer, end.ptr};
    const auto shortest = std::to_chars(buffer, buffer + sizeof buffer, value);
    return {buffer, shortest.ptr};
}

std::string formatNumber(std::int64_t value)
{
    return std::to_string(value);
}

std::string formatGrouped(std::int64_t value)
{
    std::string digits = std::to_string(value);
    const std::size_t first = digits.front() == '-' ? 1 : 0;
    for (std::size_t i = digits.size(); i > first + 3; i -= 3)
        digits.insert(i - 3, ",");
    return digits;
}

std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"')
            out += '"';
        out += c;
    }
    return out + '"';
}

} // namespace tilewright
