// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_comments.h"

#include <algorithm>

namespace tilewright {

namespace {

/// Returns the offset of the first comment at or after `from`, which must be outside of quoted texts.
std::size_t commentFrom(std::string_view text, std::size_t from)
{
    for (std::size_t i = text.find_first_of("\"/", from); i < text.size();
         i = text.find_first_of("\"/", i + 1)) {
        if (text[i] == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                if (text[i] == '\\')
                    ++i;
        } else if (const std::string_view two = text.substr(i, 2); two == "//" || two == "/*") {
            return i;
        }
    }
    return std::string_view::npos;
}

} // namespace

std::optional<std::size_t> firstJsonComment(std::string_view text)
{
    const std::size_t at = commentFrom(text, 0);
    return at < text.size() ? std::optional(at) : std::nullopt;
}

std::string withoutJsonComments(std::string_view text)
{
    std::string out(text);
    for (std::size_t at = commentFrom(text, 0); at < text.size();) {
        std::size_t end = 0;
        if (text[at + 1] == '/') {
            end = std::min(text.find('\n', at), text.size());
        } else {
            const std::size_t close = text.find("*/", at + 2);
            if (close == std::string_view::npos)
                break;
            end = close + 2;
        }
        for (std::size_t i = at; i < end; ++i)
            if (out[i] != '\n' && out[i] != '\r')
                out[i] = ' ';
        at = commentFrom(text, end);
    }
    return out;
}

} // namespace tilewright
