// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_sections.h"

#include <algorithm>
#include <string>

namespace tilewright::ui {

namespace {

constexpr std::size_t kWanted = 96;  // sections
constexpr std::size_t kSmallest = 8; // ops of one

std::string firstPart(const std::string& name)
{
    return name.substr(0, name.find_first_of("./:"));
}

} // namespace

std::vector<std::uint32_t> sectionsOf(const Problem& problem)
{
    const std::size_t n = problem.opCount();
    const std::size_t wanted = std::max(kSmallest, (n + kWanted - 1) / kWanted);
    std::vector<std::uint32_t> out(n);
    std::uint32_t section = 0;
    std::size_t size = 0;
    std::string part;
    for (const OpId op : problem.topologicalOrder()) {
        std::string next = firstPart(problem.opName(op));
        const bool another = next != part && next.size() < problem.opName(op).size();
        if (size >= 2 * wanted || (size >= wanted && (another || next.size() == problem.opName(op).size())) ||
            (another && 2 * size >= wanted)) {
            ++section;
            size = 0;
        }
        part = std::move(next);
        out[op.index()] = section;
        ++size;
    }
    return out;
}

} // namespace tilewright::ui
