// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that all writers of completions need.
#pragma once

#include "base/text.h"
#include "manual/program.h"

#include <cctype>

namespace tilewright::manual {

[[nodiscard]] inline std::string joined(const std::vector<std::string>& words, const char* between)
{
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : between) + word;
    return out;
}

[[nodiscard]] inline std::string replaced(const std::string& text, char what, const char* by)
{
    std::string out;
    for (const char c : text)
        if (c == what)
            out += by;
        else
            out += c;
    return out;
}

/// "tilewright-cli" as part of the name of a function.
[[nodiscard]] inline std::string identifier(std::string text)
{
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            c = '_';
    return text;
}

/// Returns the first line of a text. A list of completions has one line for the meaning of an entry.
[[nodiscard]] inline std::string firstLine(const std::string& text)
{
    std::string line = text.substr(0, text.find('\n'));
    while (!line.empty() && line.back() == ':')
        line.pop_back();
    return line;
}

} // namespace tilewright::manual
