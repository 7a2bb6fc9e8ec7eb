// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/csv.h"

#include <algorithm>

namespace tilewright {

namespace {

std::string_view withoutBlanks(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

} // namespace

std::vector<std::string_view> csvCells(std::string_view line, char separator)
{
    std::vector<std::string_view> out;
    for (std::size_t start = 0; start <= line.size();) {
        std::size_t from = start;
        const std::size_t first = line.find_first_not_of(' ', start);
        if (first != std::string_view::npos && line[first] == '"') {
            const std::size_t close = line.find('"', first + 1);
            from = close == std::string_view::npos ? start : close;
        }
        const std::size_t end = std::min(line.find(separator, from), line.size());
        std::string_view cell = withoutBlanks(line.substr(start, end - start));
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
            cell = withoutBlanks(cell.substr(1, cell.size() - 2));
        out.push_back(cell);
        start = end + 1;
    }
    while (!out.empty() && out.back().empty())
        out.pop_back();
    return out;
}

} // namespace tilewright
