// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/subgraph_colours.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace tilewright::ui {

namespace {

constexpr std::size_t kHues = 8;

/// Several lists of numbers in one array. A list may contain an entry more than once.
class Lists
{
public:
    Lists(std::size_t n, std::span<const std::pair<std::size_t, std::size_t>> pairs) : m_first(n + 1, 0)
    {
        for (const auto& [i, entry] : pairs)
            ++m_first[i + 1];
        std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
        m_entries.resize(pairs.size());
        std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
        for (const auto& [i, entry] : pairs)
            m_entries[next[i]++] = entry;
    }
    [[nodiscard]] std::span<const std::size_t> operator[](std::size_t i) const
    {
        return {m_entries.data() + m_first[i], m_first[i + 1] - m_first[i]};
    }

private:
    std::vector<std::size_t> m_first;
    std::vector<std::size_t> m_entries;
};

/// Returns for each subgraph the previous and the next one, and those that share an op or a tensor with it.
Lists neighboursOf(const Problem& problem, const Schedule& schedule)
{
    const std::size_t n = schedule.size();
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < n; ++i)
        for (const OpId o : schedule.subgraphs[i]->ops)
            if (o.index() < problem.opCount())
                pairs.emplace_back(o.index(), i);
    const Lists homes(problem.opCount(), pairs);
    pairs.clear();
    const auto link = [&](std::size_t a, std::size_t b) {
        if (a != b) {
            pairs.emplace_back(a, b);
            pairs.emplace_back(b, a);
        }
    };
    for (std::size_t i = 0; i + 1 < n; ++i)
        link(i, i + 1);
    for (std::size_t o = 0; o < problem.opCount(); ++o)
        for (const std::size_t a : homes[o]) {
            for (const std::size_t b : homes[o])
                link(a, b);
            for (const OpId c : problem.readers(problem.op(OpId(o)).output))
                for (const std::size_t b : homes[c.index()])
                    link(a, b);
        }
    return {n, pairs};
}

} // namespace

std::size_t SubgraphColours::OpsHash::operator()(const std::vector<OpId>& ops) const noexcept
{
    std::size_t hash = ops.size();
    for (const OpId o : ops)
        hash = (hash ^ o.index()) * std::size_t(0x9E3779B97F4A7C15);
    return hash;
}

void SubgraphColours::update(const Problem& problem, const Schedule& schedule)
{
    const std::size_t n = schedule.size();
    if (std::ranges::equal(m_subgraphs, schedule.subgraphs, [](const SubgraphPtr& a, const SubgraphPtr& b) {
            return a == b || a->ops == b->ops;
        }))
        return; // the ops are unchanged; granularity, retained tensors and traversal do not influence colours
    m_subgraphs = schedule.subgraphs;
    const Lists neighbours = neighboursOf(problem, schedule);

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
    std::array<std::size_t, kHues> worn{};
    for (const std::size_t hue : next)
        if (hue != kNone)
            ++worn[hue];
    for (std::size_t i = 0; i < n; ++i) {
        if (next[i] != kNone)
            continue;
        const auto used = taken(i);
        // The least frequent hue is used, so that the colours of a few subgraphs all differ. Ties rotate with
        // the index.
        for (std::size_t k = 0; k < kHues; ++k)
            if (const std::size_t hue = (i + k) % kHues;
                !used[hue] && (next[i] == kNone || worn[hue] < worn[next[i]]))
                next[i] = hue;
        if (next[i] == kNone)
            next[i] = i % kHues;
        ++worn[next[i]];
    }
    // Colours of earlier states are kept up to this number, so that undo restores them.
    if (m_remembered.size() > 20 * n + 1000)
        m_remembered.clear();
    for (std::size_t i = 0; i < n; ++i)
        m_remembered[schedule.subgraphs[i]->ops] = next[i];
    m_colours = std::move(next);
}

} // namespace tilewright::ui
