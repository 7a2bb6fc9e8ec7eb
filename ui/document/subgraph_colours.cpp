// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/subgraph_colours.h"

#include <array>
#include <set>

namespace tilewright::ui {

namespace {
constexpr std::size_t kHues = 8;
}

void SubgraphColours::update(const Problem& problem, const Schedule& schedule)
{
    const std::size_t n = schedule.size();
    std::vector<std::vector<std::size_t>> homes(problem.opCount());
    for (std::size_t i = 0; i < n; ++i)
        for (const OpId o : schedule.subgraphs[i]->ops)
            if (o.index() < homes.size())
                homes[o.index()].push_back(i);
    std::vector<std::set<std::size_t>> neighbours(n);
    const auto link = [&](std::size_t a, std::size_t b) {
        if (a != b) {
            neighbours[a].insert(b);
            neighbours[b].insert(a);
        }
    };
    for (std::size_t i = 0; i + 1 < n; ++i)
        link(i, i + 1);
    for (std::size_t o = 0; o < problem.opCount(); ++o) {
        for (const std::size_t a : homes[o])
            for (const std::size_t b : homes[o])
                link(a, b);
        for (const OpId c : problem.consumers(problem.op(OpId(o)).output))
            for (const std::size_t a : homes[o])
                for (const std::size_t b : homes[c.index()])
                    link(a, b);
    }

    constexpr std::size_t kNone = kHues;
    std::vector<std::size_t> next(n, kNone);
    const auto taken = [&](std::size_t i) {
        std::array<bool, kHues> used{};
        for (const std::size_t j : neighbours[i])
            if (next[j] != kNone)
                used[next[j]] = true;
        return used;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const auto it = m_remembered.find(schedule.subgraphs[i]->ops);
        if (it != m_remembered.end() && !taken(i)[it->second])
            next[i] = it->second;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (next[i] != kNone)
            continue;
        const auto used = taken(i);
        // Start somewhere else each time, so that few subgraphs do not all look alike.
        for (std::size_t k = 0; k < kHues && next[i] == kNone; ++k)
            if (!used[(i + k) % kHues])
                next[i] = (i + k) % kHues;
        if (next[i] == kNone)
            next[i] = i % kHues;
    }
    // Remembered beyond this state, so that undo brings the colours back.
    if (m_remembered.size() > 20 * n + 1000)
        m_remembered.clear();
    for (std::size_t i = 0; i < n; ++i)
        m_remembered[schedule.subgraphs[i]->ops] = next[i];
    m_colours = std::move(next);
}

} // namespace tilewright::ui
