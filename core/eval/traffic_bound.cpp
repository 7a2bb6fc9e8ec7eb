// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/traffic_bound.h"

#include "base/integer.h"
#include "eval/cost.h"
#include "eval/lower_bound.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace tilewright {

namespace {

/// True if a MatMul reads the op's output, directly or through Pointwise ops.
bool feedsMatMul(const Problem& problem, OpId op)
{
    std::vector<OpId> stack{op};
    std::vector<char> seen(problem.opCount());
    while (!stack.empty()) {
        const OpId o = stack.back();
        stack.pop_back();
        for (const OpId c : problem.consumers(problem.op(o).output)) {
            if (problem.op(c).type == OpType::MatMul)
                return true;
            if (seen[c.index()] == 0) {
                seen[c.index()] = 1;
                stack.push_back(c);
            }
        }
    }
    return false;
}

} // namespace

double leastArrayTime(const Problem& problem, const Rules& rules, OpId op, bool spatialRows, bool spatialCols)
{
    const Hardware& hw = problem.hardware();
    const Tensor& out = problem.tensor(problem.op(op).output);
    const std::int64_t reduction = problem.reductionSize(op);
    const bool native = rules.superNative == Rules::SuperNative::Error;
    const auto axis = [&](std::int64_t extent, std::int64_t size, bool spatial) {
        return native && spatial ? ArrayAxis::tiled(extent, size, size) : ArrayAxis::whole(extent, size);
    };
    double chunks = 1;
    if (native && spatialRows && spatialCols && rules.kLimit == Rules::KLimit::Native)
        chunks = static_cast<double>(ceilDiv(reduction, hw.nativeK()));
    const StepCosts costs(hw, {}, rules);
    if (!costs.isPlainArray()) // fewer cuts never take more cycles
        return static_cast<double>(problem.op(op).baseCost) * costs.cycles(out.height, out.width, reduction) /
               costs.wholeTile(reduction);
    return static_cast<double>(problem.op(op).baseCost) *
           arrayCycles(axis(out.height, hw.nativeHeight, spatialRows),
                       axis(out.width, hw.nativeWidth, spatialCols), reduction, chunks) /
           costs.wholeTile(reduction);
}

double leastCompute(const Problem& problem, const Rules& rules, OpId op, const SpatialAxes& axes)
{
    if (problem.hasMaps() || rules.vector == Rules::Vector::Elements)
        return leastTime(problem, rules, op, axes);
    const Op& o = problem.op(op);
    const Hardware& hw = problem.hardware();
    const Tensor& out = problem.tensor(o.output);
    const bool spatial = !feedsMatMul(problem, op);
    if (o.type == OpType::MatMul && rules.compute == Rules::Compute::Array)
        return leastArrayTime(problem, rules, op, spatial, spatial);
    double rows = static_cast<double>(out.height) / static_cast<double>(hw.nativeHeight);
    double cols = static_cast<double>(out.width) / static_cast<double>(hw.nativeWidth);
    if (spatial) {
        rows = static_cast<double>(ceilDiv(out.height, hw.nativeHeight));
        cols = static_cast<double>(ceilDiv(out.width, hw.nativeWidth));
    }
    double depth = 1;
    if (o.type == OpType::MatMul && rules.kScaling == Rules::KScaling::Native)
        depth = static_cast<double>(problem.reductionSize(op)) / static_cast<double>(hw.nativeK());
    return static_cast<double>(o.baseCost) * rows * cols * depth;
}

namespace {

/// Lower bound of the traffic of every schedule.
///
/// A slice of an operand that changes with every k step is never reused (R7.2 remembers one step). So a
/// MatMul that is split along k (with k_limit=reduction none has to be) loads its LHS for every column of
/// tiles and its RHS for every row of tiles, and tiles are at most native (R4.1, R4.2). Exceptions:
///  - The operand is resident or held whole as FULL(t). This is impossible if it is larger than fast memory.
///  - The operand is produced in the same subgraph. This is impossible for graph inputs, and by R4.7 for
///    results of Pointwise ops if K exceeds the native size.
///  - The MatMul is interior and runs on whole reduction ranges. An interior MatMul that serves a LHS runs on
///    [tile rows x k chunk]: it keeps its own LHS strip, but its RHS slice changes with every step, or is the
///    whole tensor, which does not fit. The same holds symmetrically for a RHS. So the LHS factor holds
///    unless the result may serve a LHS in the same subgraph, the RHS factor unless it may serve a RHS.
///
/// Every op runs completely in at least one subgraph. Its loads of a tensor can be shared with other ops'
/// loads of that tensor, so for each tensor only the largest demand of any reader counts.
///
/// If a MatMul is the only reader of an operand, the bound is higher: the exceptions exclude one another, and
/// no other op can hold the operand whole. See leastLoads().
class ForcedTraffic
{
public:
    ForcedTraffic(const Problem& problem, const Rules& rules)
        : m_problem(problem), m_hw(problem.hardware()),
          m_limited(rules.superNative == Rules::SuperNative::Error &&
                    rules.retainInputs == Rules::RetainInputs::Error && !problem.hasMaps() &&
                    !problem.hasWidths()),
          m_axes(spatialAxes(problem, rules)), m_rules(rules),
          m_mostK(rules.kLimit == Rules::KLimit::Native ? m_hw.nativeK()
                                                        : std::numeric_limits<std::int64_t>::max())
    {
    }

    [[nodiscard]] double units() const
    {
        double sum = 0;
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i)
            sum += of(TensorId(i));
        for (std::size_t i = 0; i < m_problem.opCount(); ++i)
            if (m_problem.op(OpId(i)).type == OpType::MatMul)
                sum += leastLoads(OpId(i));
        return sum;
    }

private:
    [[nodiscard]] double of(TensorId t) const
    {
        const double area = static_cast<double>(m_problem.sizeUnits(t));
        const bool read = !m_problem.producer(t); // true if loaded from slow memory, false if computed
        if (isWritten(t) && m_problem.consumers(t).empty())
            return area;
        const auto readers = m_problem.consumers(t);
        // the loads of such a tensor are counted by leastLoads()
        if (!readers.empty() && owns(readers.front(), t))
            return read ? 0 : area;
        double factor = read ? leastPart(t) : 0;
        bool stored = isWritten(t);
        for (const OpId c : m_problem.consumers(t)) {
            const Op& op = m_problem.op(c);
            if (op.type != OpType::MatMul || m_problem.hasMaps())
                continue;
            for (const bool left : {true, false})
                if (op.inputs[left ? 0 : 1] == t && outside(t, c, left)) {
                    stored |= !read;
                    factor = std::max(factor, passes(t, c, left));
                }
        }
        return area * (factor + (stored ? 1 : 0));
    }

    /// True if every schedule writes the tensor: it is a graph output, or a base of a view that is read
    /// (R1.7).
    [[nodiscard]] bool isWritten(TensorId t) const
    {
        return m_problem.isGraphOutput(t) || (m_problem.producer(t) && !m_problem.viewsOf(t).empty());
    }
    /// Lower bound of the part of t that is loaded (lower_bound.cpp, 5).
    [[nodiscard]] double leastPart(TensorId t) const
    {
        if (!m_problem.hasMaps())
            return m_problem.consumers(t).empty() ? 0 : 1;
        return static_cast<double>(leastLoaded(m_problem, m_rules, t, m_problem.consumers(t), m_axes)) /
               static_cast<double>(m_problem.tensor(t).elements());
    }
    /// True if m is the only reader of t and reads it from slow memory.
    [[nodiscard]] bool owns(OpId m, TensorId t) const
    {
        const Op& op = m_problem.op(m);
        return m_limited && op.type == OpType::MatMul && m_problem.consumers(t).size() == 1 &&
               op.inputs[0] != op.inputs[1] && outside(t, m, op.inputs[0] == t);
    }
    /// Lower bound of the elements that MatMul m loads of operands that no other op reads: the minimum over
    /// its three possible roles.
    ///  - Split along k, as a sink or before an epilogue: it loads the LHS once for every column of tiles and
    ///    the RHS once for every row. If R4.2 allows the whole reduction in one step, wholeReductionLoads()
    ///    is the bound. If only MatMuls read the result, it is a sink; a result that is too large to be
    ///    retained is stored and loaded again, which is added.
    ///  - Interior, serving a LHS: its own LHS strip [tile rows x K] stays in memory, which limits the rows.
    ///    The RHS is loaded for every row of tiles unless it can be held whole.
    ///  - Interior, serving a RHS: the same with rows and columns exchanged.
    [[nodiscard]] double leastLoads(OpId m) const
    {
        const Op& op = m_problem.op(m);
        const auto area = [&](int i) {
            return owns(m, op.inputs[static_cast<std::size_t>(i)])
                       ? static_cast<double>(
                             m_problem.tensor(op.inputs[static_cast<std::size_t>(i)]).elements())
                       : 0.0;
        };
        const double left = area(0);
        const double right = area(1);
        if (left + right == 0)
            return 0;
        const Tensor& out = m_problem.tensor(op.output);
        const std::int64_t depth = m_problem.reductionSize(m);
        const std::int64_t capacity = m_hw.fastMemoryCapacity;
        const auto parts = [](std::int64_t extent, std::int64_t native, std::int64_t room) {
            return static_cast<double>(ceilDiv(extent, std::clamp<std::int64_t>(room, 1, native)));
        };
        double least = std::numeric_limits<double>::infinity();
        if (depth > 1)
            // The tile of the result has to fit together with the thinnest slices.
            for (std::int64_t w = 1; w <= std::min(m_hw.nativeWidth, out.width); ++w)
                least = std::min(
                    least, left * static_cast<double>(ceilDiv(out.width, w)) +
                               right * parts(out.height, m_hw.nativeHeight,
                                             (capacity - (right > 0 ? w : 0)) / (w + (left > 0 ? 1 : 0))));
        if (depth <= m_mostK)
            least = std::min(least, left > 0 && right > 0 ? wholeReductionLoads(out, depth) : left + right);
        const auto consumers = m_problem.consumers(op.output);
        if (!consumers.empty() && out.elements() >= capacity &&
            std::ranges::all_of(consumers, [&](OpId c) { return m_problem.op(c).type == OpType::MatMul; }))
            least += (isWritten(op.output) ? 1 : 2) * static_cast<double>(out.elements());
        if (mayServe(m, true))
            least = std::min(least, left + right * (tooLarge(op.inputs[1])
                                                        ? parts(out.height, m_hw.nativeHeight,
                                                                left > 0 ? capacity / depth : out.height)
                                                        : 1.0));
        if (mayServe(m, false))
            least = std::min(least, right + left * (tooLarge(op.inputs[0])
                                                        ? parts(out.width, m_hw.nativeWidth,
                                                                right > 0 ? capacity / depth : out.width)
                                                        : 1.0));
        return least;
    }
    /// Lower bound of the loads with the whole reduction in one step. A tile of h x w needs its strips [h x
    /// K] and [K x w], which have to fit together with it. The next tile needs another strip on at least one
    /// side, so each tile pays for one strip, and the first tile of a column also pays for the column's
    /// strip. If h <= w, every column that is not clipped loads at least all LHS strips except one and its
    /// own strip: (columns - 1)(H - h) K in addition to the RHS. If h >= w, the same holds with rows and
    /// columns exchanged. The bound falls with the height of the tile, so for each w only the largest h that
    /// fits is considered.
    [[nodiscard]] double wholeReductionLoads(const Tensor& out, std::int64_t depth) const
    {
        const std::int64_t capacity = m_hw.fastMemoryCapacity;
        const auto times = [](std::int64_t a, std::int64_t b) {
            return static_cast<double>(a) * static_cast<double>(b);
        };
        const double both = static_cast<double>(out.height) + static_cast<double>(out.width);
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t w = 1; w <= std::min(m_hw.nativeWidth, out.width); ++w) {
            const std::int64_t room = depth > capacity / w ? -1 : capacity - depth * w;
            const std::int64_t most = std::min({room / (depth + w), m_hw.nativeHeight, out.height});
            if (room < 0 || most < 1)
                break;
            const std::int64_t low = std::min(most, w);
            least = std::min(least, std::max(both, static_cast<double>(out.width) +
                                                       times(ceilDiv(out.width, w) - 1, out.height - low)));
            if (most > w)
                least =
                    std::min(least, std::max(both, static_cast<double>(out.height) +
                                                       times(ceilDiv(out.height, most) - 1, out.width - w)));
        }
        return least * static_cast<double>(depth);
    }
    [[nodiscard]] bool tooLarge(TensorId t) const
    {
        return m_problem.sizeUnits(t) > m_problem.capacityUnits();
    }
    /// True if R4.7 forbids a Pointwise result as this operand of m inside one subgraph.
    [[nodiscard]] bool prologueForbids(OpId m, bool left) const
    {
        return isPrologueForbidden(m_problem, m_rules, m, left);
    }
    /// True if m has to read the operand from slow memory.
    [[nodiscard]] bool outside(TensorId t, OpId m, bool left) const
    {
        if (!m_problem.producer(t))
            return true;
        return tooLarge(t) && m_problem.op(*m_problem.producer(t)).type == OpType::Pointwise &&
               prologueForbids(m, left);
    }
    [[nodiscard]] double passes(TensorId t, OpId m, bool left) const
    {
        if (!m_limited || !tooLarge(t) || m_problem.reductionSize(m) <= m_mostK || mayServe(m, left))
            return 1;
        const Tensor& out = m_problem.tensor(m_problem.op(m).output);
        return static_cast<double>(left ? ceilDiv(out.width, m_hw.nativeWidth)
                                        : ceilDiv(out.height, m_hw.nativeHeight));
    }
    /// True if m's result may be the LHS (left) or RHS of a MatMul of the same subgraph, directly or through
    /// Pointwise ops.
    [[nodiscard]] bool mayServe(OpId m, bool left) const
    {
        std::vector<OpId> stack{m};
        std::vector<char> seen(m_problem.opCount());
        while (!stack.empty()) {
            const OpId o = stack.back();
            stack.pop_back();
            const TensorId t = m_problem.op(o).output;
            for (const OpId c : m_problem.consumers(t)) {
                const Op& op = m_problem.op(c);
                if (op.type == OpType::MatMul) {
                    if (op.inputs[left ? 0 : 1] == t && (o == m || !prologueForbids(c, left)))
                        return true;
                } else if (seen[c.index()] == 0) {
                    seen[c.index()] = 1;
                    stack.push_back(c);
                }
            }
        }
        return false;
    }

    const Problem& m_problem;
    const Hardware& m_hw;
    bool m_limited; ///< true if tiles are at most native and inputs are not retained
    std::vector<SpatialAxes> m_axes;
    const Rules& m_rules;
    std::int64_t m_mostK; ///< R4.2: a MatMul with a larger reduction is split along k
};

} // namespace

TrafficBound trafficBound(const Problem& problem, const Rules& rules)
{
    TrafficBound bound;
    const std::vector<SpatialAxes> axes = spatialAxes(problem, rules);
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        bound.compute += leastCompute(problem, rules, OpId(i), axes[i]);
    bound.memory = ForcedTraffic(problem, rules).units() / static_cast<double>(problem.bandwidthUnits());
    return bound;
}

} // namespace tilewright
