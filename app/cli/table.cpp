// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <algorithm>
#include <ostream>
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

void Table::print(std::ostream& out) const
{
    std::vector<std::size_t> widths(m_rows.front().size(), 0);
    std::vector<bool> right(widths.size(), true);
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        for (std::size_t c = 0; c < widths.size(); ++c) {
            widths[c] = std::max(widths[c], widthOf(m_rows[r][c]));
            right[c] = right[c] && (r == 0 || isNumber(m_rows[r][c]));
        }
    for (const auto& row : m_rows) {
        std::string line;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            line += c == 0 ? "" : "  ";
            line += padded(row[c], widths[c], right[c]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

} // namespace tilewright::cli
