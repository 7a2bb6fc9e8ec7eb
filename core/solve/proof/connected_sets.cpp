// SPDX-License-Identifier: GPL-3.0-or-later
// Sets are grown op by op: each neighbouring op is either added to the set or refused. No set that grows from
// this one contains a refused op, so the results of refused ops come from outside. They give a lower bound of
// the fast memory that all these sets need.
#include "solve/proof/connected_sets.h"

#include "eval/lower_bound.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

namespace tilewright {

namespace {

using OpBits = std::uint64_t;
constexpr std::size_t kMostBits = 64;

constexpr OpBits bit(std::size_t op)
{
    return OpBits{1} << op;
}

/// Returns, for each op, the ops that share a tensor with it.
std::vector<OpBits> neighbours(const Problem& problem, const std::vector<OpId>& ops)
{
    std::vector<OpBits> out(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        forEachTouching(problem, ops[i], [&](OpId o) {
            if (const auto it = std::ranges::find(ops, o); it != ops.end())
                out[i] |= bit(static_cast<std::size_t>(it - ops.begin()));
        });
        out[i] &= ~bit(i);
    }
    return out;
}

/// Returns, for each op, the ops that can never be in one subgraph with it, because R4.7 forbids that the
/// result of one is an operand of the other.
std::vector<OpBits> neverTogether(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops)
{
    std::vector<OpBits> out(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (std::size_t j = 0; j < ops.size(); ++j) {
            const TensorId t = problem.op(ops[i]).output;
            const auto& inputs = problem.op(ops[j]).inputs;
            if (std::ranges::find(inputs, t) == inputs.end() || !isFusionForbidden(problem, rules, t, ops[j]))
                continue;
            out[i] |= bit(j);
            out[j] |= bit(i);
        }
    return out;
}

/// Lower bound of the fast memory needed by the first step of tile (0, 0), over all subgraphs that contain
/// some given ops and exclude others. Every MatMul of the subgraph runs in this step: a driver runs in every
/// step, and if another MatMul requests its result, its whole reduction runs (R6.5). The producers of the
/// operands run, too.
class MemoryBound
{
public:
    MemoryBound(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops)
        : m_capacity(problem.hardware().fastMemoryCapacity)
    {
        const std::vector<SpatialAxes> spatial = spatialAxes(problem, rules);
        std::vector<TensorId> tensors;
        const auto number = [&](TensorId t) {
            const auto it = std::ranges::find(tensors, t);
            const auto at = static_cast<std::size_t>(it - tensors.begin());
            if (it == tensors.end())
                tensors.push_back(t);
            return at;
        };
        for (const OpId o : ops) {
            const Op& op = problem.op(o);
            const Tensor& out = problem.tensor(op.output);
            Node node;
            node.matmul = op.type == OpType::MatMul;
            node.reduction = problem.reductionSize(o);
            // If the axis may be requested by ranges of a reduction, only one element is certain to be
            // requested.
            node.height = spatial[o.index()].rows ? out.height : 1;
            node.width = spatial[o.index()].cols ? out.width : 1;
            for (const TensorId t : op.inputs) {
                const auto producer = problem.producer(t);
                Operand operand{number(t), kOutside, false};
                const auto it = producer ? std::ranges::find(ops, *producer) : ops.end();
                if (it != ops.end()) {
                    operand.producer = static_cast<std::size_t>(it - ops.begin());
                    operand.widens = rules.prologue == Rules::Prologue::Always &&
                                     problem.op(*producer).type == OpType::Pointwise;
                }
                node.operands.push_back(operand);
            }
            m_nodes.push_back(std::move(node));
        }
        m_requested.assign(tensors.size(), 0);
    }

    /// True if a subgraph with all ops of `set` and no op of `refused` may fit in fast memory.
    [[nodiscard]] bool mayFit(OpBits set, OpBits refused)
    {
        const auto [h, w] = leastTile(set);
        std::ranges::fill(m_requested, 0);
        std::array<Rectangle, kMostBits> requested{}; // for each op, the requests for its result
        std::int64_t room = 0;
        // reverse topological order: readers before producers
        for (std::size_t i = m_nodes.size(); i-- > 0;) {
            if ((set & bit(i)) == 0)
                continue;
            const Node& node = m_nodes[i];
            const auto need = [&](const Operand& t, std::int64_t rows, std::int64_t cols) {
                if (t.producer != kOutside && (set & bit(t.producer)) != 0) {
                    requested[t.producer].extend(rows, cols);
                    return;
                }
                if (t.producer != kOutside && (refused & bit(t.producer)) == 0)
                    return; // the subgraph may also contain the producer
                std::int64_t& most = m_requested[t.tensor];
                room += std::max<std::int64_t>(0, rows * cols - most);
                most = std::max(most, rows * cols);
            };
            const Rectangle& r = requested[i];
            if (!node.matmul) {
                for (const Operand& t : node.operands)
                    need(t, r.areaRows, r.areaCols);
                continue;
            }
            const std::int64_t depth = r.rows > 0 ? node.reduction : 1;
            need(node.operands[0], r.rows > 0 ? r.rows : std::min(h, node.height), depth);
            need(node.operands[1], depth, r.rows > 0 ? r.cols : std::min(w, node.width));
        }
        return room <= m_capacity;
    }

private:
    static constexpr std::size_t kOutside = kMostBits;
    struct Operand
    {
        std::size_t tensor;
        std::size_t producer; ///< index of the op that produces the tensor
        bool widens;          ///< true if fusing the producer forces tiles as large as the reduction (R4.7)
    };
    struct Node
    {
        bool matmul = false;
        std::int64_t reduction = 1, height = 1, width = 1;
        std::vector<Operand> operands;
    };
    /// Requests for one result that are guaranteed to occur: the largest number of rows, the largest number
    /// of columns, and the rectangle with the largest area.
    struct Rectangle
    {
        std::int64_t rows = 0, cols = 0, areaRows = 0, areaCols = 0;
        void extend(std::int64_t r, std::int64_t c)
        {
            rows = std::max(rows, r);
            cols = std::max(cols, c);
            if (r * c > areaRows * areaCols)
                std::tie(areaRows, areaCols) = std::pair(r, c);
        }
    };

    /// Returns the minimum height and width of the tiles.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> leastTile(OpBits set) const
    {
        std::int64_t h = 1;
        std::int64_t w = 1;
        for (OpBits rest = set; rest != 0; rest &= rest - 1) {
            const Node& node = m_nodes[static_cast<std::size_t>(std::countr_zero(rest))];
            if (!node.matmul)
                continue;
            const auto isFused = [&](const Operand& t) { return t.widens && (set & bit(t.producer)) != 0; };
            if (isFused(node.operands[0]))
                w = std::max(w, node.reduction);
            if (isFused(node.operands[1]))
                h = std::max(h, node.reduction);
        }
        return {h, w};
    }

    std::int64_t m_capacity;
    std::vector<Node> m_nodes; ///< operands and sizes of each op
    /// For each tensor, the number of elements in its largest request.
    std::vector<std::int64_t> m_requested;
};

} // namespace

/// Grows each set from its first op by neighbours with a higher index.
bool forEachConnectedSet(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                         const std::function<bool(std::uint64_t)>& visit)
{
    if (ops.size() > kMostBits)
        return false;
    const std::vector<OpBits> near = neighbours(problem, ops);
    const std::vector<OpBits> apart = neverTogether(problem, rules, ops);
    // The bound counts slices by their shapes and elements, which is not valid with index maps or element
    // widths.
    std::optional<MemoryBound> room;
    if (!problem.hasMaps() && !problem.hasWidths())
        room.emplace(problem, rules, ops);
    struct Grown
    {
        OpBits set, candidates, refused;
    };
    std::vector<Grown> todo;
    for (std::size_t first = 0; first < near.size(); ++first) {
        const OpBits refused = (bit(first) - 1) | apart[first];
        todo.push_back({bit(first), near[first] & ~refused, refused});
        while (!todo.empty()) {
            Grown g = todo.back();
            todo.pop_back();
            if (room && !room->mayFit(g.set, g.refused))
                continue;
            if (g.candidates == 0) {
                if (!visit(g.set))
                    return false;
                continue;
            }
            const auto next = static_cast<std::size_t>(std::countr_zero(g.candidates));
            g.candidates &= ~bit(next);
            todo.push_back({g.set, g.candidates, g.refused | bit(next)});
            const OpBits set = g.set | bit(next);
            const OpBits without = g.refused | apart[next];
            todo.push_back({set, (g.candidates | (near[next] & ~set)) & ~without, without});
        }
    }
    return true;
}

} // namespace tilewright
