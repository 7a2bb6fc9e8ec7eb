// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/markup.h"

namespace tilewright {

namespace {

constexpr std::string_view kReplacement = "\ufffd";

/// Length in bytes of the UTF-8 sequence at the start of the text; 0 if it is invalid.
std::size_t sequenceLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80                      ? 1
                               : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                               : (byte(0) & 0xf0) == 0xe0          ? 3
                               : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                   : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    // Rejects overlong forms, surrogates and code points above U+10FFFF.
    if (length == 3 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0)))
        return 0;
    if (length == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90)))
        return 0;
    return length;
}

} // namespace

std::string escapeMarkup(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t n = sequenceLength(text);
        if (n == 0) {
            out += kReplacement;
            text.remove_prefix(1);
            continue;
        }
        switch (text.front()) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            if (static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f)
                out += ' ';
            else
                out += text.substr(0, n);
        }
        text.remove_prefix(n);
    }
    return out;
}

} // namespace tilewright
