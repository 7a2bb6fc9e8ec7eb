// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/mlir.h"

#include <algorithm>
#include <array>

namespace tilewright::model {

namespace {

/// True if the line defines an alias: "#loc1 = …" or "!type = …".
bool isAlias(std::string_view line)
{
    if (!line.starts_with('#') && !line.starts_with('!'))
        return false;
    const std::size_t end = line.find_first_of(" =\t");
    const std::size_t equals = end == std::string_view::npos ? end : line.find_first_not_of(" \t", end);
    return end > 1 && equals != std::string_view::npos && line[equals] == '=';
}

} // namespace

bool isMlir(std::string_view text)
{
    constexpr std::string_view kSpace = "\xef\xbb\xbf \t\r\n";
    while (!text.empty()) {
        text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!line.starts_with("//") && !isAlias(line))
            break;
        text.remove_prefix(line.size());
    }
    constexpr std::array<std::string_view, 4> kBegins{"\"builtin.module\"", "\"func.func\"", "builtin.module",
                                                      "func.func"};
    if (std::ranges::any_of(kBegins, [&](std::string_view begin) { return text.starts_with(begin); }))
        return true;
    constexpr std::string_view kModule = "module";
    if (!text.starts_with(kModule))
        return false;
    text.remove_prefix(kModule.size());
    const std::size_t next = text.find_first_not_of(" \t\r\n");
    return next != std::string_view::npos && (text[next] == '@' || text[next] == '{' ||
                                              (next > 0 && text.substr(next).starts_with("attributes")));
}

} // namespace tilewright::model
