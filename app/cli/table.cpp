// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <algorithm>
#include <iostream>
#include <string_view>

namespace tilewright::cli {

namespace {

/// Digits, signs and what stands between them; the signs beyond ASCII are those of base/text.h.
bool isNumber(const std::string& cell)
{
    constexpr std::string_view kSigns = "0123456789.,+-% ";
    return !cell.empty() && std::ranges::all_of(cell, [&](char c) {
        return static_cast<unsigned char>(c) >= 0x80 || kSigns.find(c) != std::string_view::npos;
    });
}

/// In characters, not in bytes of UTF-8.
std::size_t widthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

} // namespace

std::string padded(const std::string& text, std::size_t width, bool right)
{
    const std::size_t now = widthOf(text);
    const std::string blanks(now < width ? width - now : 0, ' ');
    return right ? blanks + text : text + blanks;
}

void print(const Table& table)
{
    std::vector<std::string> lines(table.rowCount() + 1);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        std::size_t width = 0;
        bool right = true;
        std::vector<std::string> cells{table.columns[c].title};
        for (std::size_t row = 0; row < table.rowCount(); ++row) {
            cells.push_back(table.shown(row, c));
            right = right && isNumber(cells.back());
        }
        for (const std::string& cell : cells)
            width = std::max(width, widthOf(cell));
        for (std::size_t i = 0; i < cells.size(); ++i)
            lines[i].append(c == 0 ? "" : "  ").append(padded(cells[i], width, right));
    }
    for (const std::string& line : lines)
        std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
}

} // namespace tilewright::cli
