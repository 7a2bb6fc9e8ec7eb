// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/memory_cut.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

constexpr std::int64_t kUnbounded = std::int64_t{1} << 62;

/// The cut as the largest flow.
class MemoryCut
{
public:
    MemoryCut(const Problem& problem, OpId op) : m_next(2 * problem.tensorCount() + 2)
    {
        const std::size_t source = 2 * problem.tensorCount(), sink = source + 1;
        std::vector<TensorId> open;
        std::vector<char> seen(problem.tensorCount());
        const auto reads = [&](OpId o, std::size_t end) {
            for (const TensorId t : problem.operands(o)) {
                if (problem.map(t)) // it may touch nothing
                    continue;
                connect(2 * t.index() + 1, end, kUnbounded);
                if (!std::exchange(seen[t.index()], 1))
                    open.push_back(t);
            }
        };
        reads(op, sink);
        while (!open.empty()) {
            const TensorId t = open.back();
            open.pop_back();
            connect(2 * t.index(), 2 * t.index() + 1, leastUnits(problem, t));
            if (const auto producer = problem.producer(t))
                reads(*producer, 2 * t.index());
            else
                connect(source, 2 * t.index(), kUnbounded);
        }
        while (const std::int64_t more = push(source, sink))
            m_flow += more;
    }
    [[nodiscard]] std::int64_t least() const noexcept { return m_flow; }

private:
    struct Edge
    {
        std::size_t to;
        std::int64_t room;
    };
    void connect(std::size_t from, std::size_t to, std::int64_t room)
    {
        m_next[from].push_back(m_edges.size());
        m_edges.push_back({to, room});
        m_next[to].push_back(m_edges.size());
        m_edges.push_back({from, 0});
    }
    /// Sends as much as one more way takes; 0 if there is none.
    std::int64_t push(std::size_t source, std::size_t sink)
    {
        std::vector<std::size_t> by(m_next.size(), m_edges.size()), open{source};
        for (std::size_t i = 0; i < open.size(); ++i)
            for (const std::size_t e : m_next[open[i]])
                if (const std::size_t to = m_edges[e].to;
                    m_edges[e].room > 0 && to != source && by[to] == m_edges.size()) {
                    by[to] = e;
                    open.push_back(to);
                }
        if (by[sink] == m_edges.size())
            return 0;
        std::int64_t out = kUnbounded;
        for (std::size_t at = sink; at != source; at = m_edges[by[at] ^ 1U].to)
            out = std::min(out, m_edges[by[at]].room);
        for (std::size_t at = sink; at != source; at = m_edges[by[at] ^ 1U].to) {
            m_edges[by[at]].room -= out;
            m_edges[by[at] ^ 1U].room += out;
        }
        return out;
    }

    std::vector<Edge> m_edges; ///< each one followed by its reverse
    std::vector<std::vector<std::size_t>> m_next;
    std::int64_t m_flow = 0;
};

} // namespace

std::int64_t leastUnits(const Problem& problem, TensorId t)
{
    return std::min(problem.units(t), problem.accumulatorUnits(t));
}

std::int64_t leastCut(const Problem& problem, OpId op)
{
    return MemoryCut(problem, op).least();
}

} // namespace tilewright
