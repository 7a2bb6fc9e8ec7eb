// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/op_room.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tilewright {

namespace {

constexpr std::int64_t kUnbounded = std::int64_t{1} << 62;

/// The smaller of the units of a result element and of an accumulator element of the tensor.
std::int64_t leastUnits(const Problem& problem, TensorId t)
{
    return std::min(problem.units(t), problem.accumulatorUnits(t));
}

/// Lower bound of the fast memory that an op needs in some step of every subgraph that runs the op: a minimum
/// cut of the graph of tensors. A cut is a set of tensors with at least one tensor of every path from the
/// graph inputs to the op. The weight of a cut is the memory for one element of each of its tensors. In a
/// step that runs the op, fast memory holds a part of every tensor of some cut, because a tensor that is not
/// in fast memory is produced in the same step from tensors that are (R6). The least weight of a cut is
/// computed as a maximum flow.
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
                if (problem.map(t)) // an index map may read no element
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
    /// Pushes flow along one more augmenting path and returns its amount; 0 if there is no such path.
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

    std::vector<Edge> m_edges; ///< each edge is followed by its reverse edge
    std::vector<std::vector<std::size_t>> m_next;
    std::int64_t m_flow = 0;
};

} // namespace

OpRoom roomOfOp(const Problem& problem, const Rules& rules, OpId o)
{
    const Op& op = problem.op(o);
    const bool isMatMul = op.type == OpType::MatMul;
    const std::int64_t depth = problem.reductionSize(o);
    const std::int64_t accumulator = problem.accumulatorUnits(op.output), result = problem.units(op.output);
    OpRoom out;
    // Collect the operands, each tensor once. A MatMul that reads one tensor as both operands has two buffers
    // for it.
    std::vector<TensorId> direct;
    std::int64_t wholeDepth = 0, mapped = 0;
    for (const TensorId t : problem.operands(o)) {
        const bool isNew = std::ranges::find(direct, t) == direct.end();
        if (isMatMul || isNew || problem.map(t))
            out.alone += problem.units(t);
        if (problem.map(t)) { // operands with index maps may read elements in different steps only
            if (problem.volume(t) > 0)
                mapped = std::max(mapped, leastUnits(problem, t));
        } else if (isNew) {
            direct.push_back(t);
            wholeDepth += depth * leastUnits(problem, t);
        }
    }
    out.alone += isMatMul && depth > 1 ? std::max(result, accumulator) : result;
    if (rules.interior != Rules::Interior::Held) {
        // In a step that runs the op, fast memory holds a part of every tensor of some cut between the graph
        // inputs and the op (MemoryCut), and the tile of a sink to which the result of the op contributes.
        std::int64_t tile = leastUnits(problem, op.output);
        for (std::size_t t = 0; t < problem.tensorCount(); ++t)
            tile = std::min(tile, leastUnits(problem, TensorId(t)));
        out.least = MemoryCut(problem, o).least() + (rules.donation ? 0 : tile);
    } else {
        // R9.9: all operands and the result are in fast memory. A MatMul also needs an accumulator, or the
        // whole reduction of its operands in fast memory.
        if (std::ranges::any_of(problem.operands(o), [&](TensorId t) {
                return problem.map(t) && std::ranges::find(direct, problem.stored(t)) != direct.end();
            }))
            mapped = 0; // one buffer may hold an operand that is read both with and without an index map
        std::int64_t inputs = mapped;
        for (const TensorId t : direct)
            inputs += leastUnits(problem, t);
        const auto written = [&](std::int64_t units) { return rules.donation ? 0 : units; };
        out.least = inputs + written(result);
        if (isMatMul && depth > 1)
            out.least = std::min(inputs + written(accumulator), wholeDepth + mapped + written(result));
    }
    out.least = std::min(out.least, out.alone);
    return out;
}

} // namespace tilewright
