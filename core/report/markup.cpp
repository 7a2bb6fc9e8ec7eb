// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/markup.h"

#include "base/utf8.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::string_view kReplacement = "\ufffd";

} // namespace

std::string escapeMarkup(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const Utf8Character c = firstCharacter(text);
        const std::size_t n = std::max<std::size_t>(1, c.length);
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
            if (c.length > 0 && (c.code < 0x20 || c.code == 0x7f))
                out += ' ';
            else
                out += c.length > 0 && isShown(c.code) ? text.substr(0, n) : kReplacement;
        }
        text.remove_prefix(n);
    }
    return out;
}

} // namespace tilewright
