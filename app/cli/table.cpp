// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <algorithm>
#include <charconv>
#include <ostream>

namespace tilewright::cli {

namespace {

bool isNumber(const std::string& cell)
{
    return !cell.empty() && cell.find_first_not_of("0123456789.,+-%e ") == std::string::npos;
}

std::string fixedText(double value, std::chars_format format, int precision)
{
    char buffer[512];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, format, precision);
    return {buffer, end.ptr};
}

} // namespace

void Table::print(std::ostream& out) const
{
    std::vector<std::size_t> widths(m_rows.front().size(), 0);
    std::vector<bool> right(widths.size(), true);
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        for (std::size_t c = 0; c < widths.size(); ++c) {
            widths[c] = std::max(widths[c], m_rows[r][c].size());
            right[c] = right[c] && (r == 0 || isNumber(m_rows[r][c]));
        }
    for (const auto& row : m_rows) {
        std::string line;
        for (std::size_t c = 0; c < widths.size(); ++c) {
            const std::string blanks(widths[c] - row[c].size(), ' ');
            line += (c == 0 ? "" : "  ") + (right[c] ? blanks + row[c] : row[c] + blanks);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

std::string shortNumber(double value)
{
    std::string text = fixedText(value, std::chars_format::fixed, value < 1e6 ? 4 : 1);
    if (text.find('.') != std::string::npos)
        text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

std::string percent(double ratio)
{
    return fixedText(ratio * 100, std::chars_format::fixed, 1) + " %";
}

} // namespace tilewright::cli
