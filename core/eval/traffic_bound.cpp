// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/traffic_bound.h"

#include "base/integer.h"

#include <algorithm>
#include <vector>

namespace tilewright {

namespace {

/// Whether a MatMul reads the op's output, directly or through pointwise ops.
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

double leastCompute(const Problem& problem, const Rules& rules, OpId op)
{
    const Op& o = problem.op(op);
    const Hardware& hw = problem.hardware();
    const Tensor& out = problem.tensor(o.output);
    double rows = static_cast<double>(out.height) / static_cast<double>(hw.nativeHeight);
    double cols = static_cast<double>(out.width) / static_cast<double>(hw.nativeWidth);
    if (!feedsMatMul(problem, op)) {
        rows = static_cast<double>(ceilDiv(out.height, hw.nativeHeight));
        cols = static_cast<double>(ceilDiv(out.width, hw.nativeWidth));
    }
    double depth = 1;
    if (o.type == OpType::MatMul && rules.kScaling == Rules::KScaling::Native)
        depth = static_cast<double>(problem.reductionSize(op)) / static_cast<double>(hw.nativeK());
    return static_cast<double>(o.baseCost) * rows * cols * depth;
}

namespace {

/// Traffic that no schedule avoids.
///
/// A slice of an operand that changes with every k step is never reused (R7.2 remembers one step), so a
/// MatMul that is stepped along k loads its LHS anew for every column of tiles and its RHS for every row of
/// tiles, and tiles are at most native (R4.1, R4.2). The ways out are: the operand is resident or held whole
/// as FULL(t) - impossible when it is larger than fast memory; it is produced inside - impossible for graph
/// inputs, and by R4.7 for results of pointwise ops when K exceeds the native size; or the MatMul itself is
/// interior and runs on whole reduction ranges. An interior MatMul that serves a LHS runs on [tile rows x k
/// chunk]: it keeps its own LHS strip, but its RHS slice changes with every step, or is the whole tensor,
/// which does not fit; symmetrically for a RHS. So the LHS factor holds unless the result may serve a LHS
/// inside, the RHS factor unless it may serve a RHS inside. An op is executed whole in at least one subgraph,
/// and its loads of one tensor can be shared with other ops' loads of that tensor, so the largest demand of
/// any reader counts once for each tensor.
class ForcedTraffic
{
public:
    ForcedTraffic(const Problem& problem, const Rules& rules)
        : m_problem(problem), m_hw(problem.hardware()),
          m_limited(rules.superNative == Rules::SuperNative::Error &&
                    rules.prologue == Rules::Prologue::Always &&
                    rules.retainInputs == Rules::RetainInputs::Error)
    {
    }

    [[nodiscard]] double elements() const
    {
        double sum = 0;
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i)
            sum += of(TensorId(i));
        return sum;
    }

private:
    [[nodiscard]] double of(TensorId t) const
    {
        const double area = static_cast<double>(m_problem.tensor(t).elements());
        if (m_problem.isGraphOutput(t))
            return area; // stored
        double factor = m_problem.isGraphInput(t) ? 1 : 0;
        bool stored = false;
        for (const OpId c : m_problem.consumers(t)) {
            const Op& op = m_problem.op(c);
            if (op.type != OpType::MatMul)
                continue;
            for (const bool left : {true, false})
                if (op.inputs[left ? 0 : 1] == t && outside(t, c, left)) {
                    stored |= !m_problem.isGraphInput(t);
                    factor = std::max(factor, passes(t, c, left));
                }
        }
        return area * (factor + (stored ? 1 : 0));
    }

    [[nodiscard]] bool tooLarge(TensorId t) const
    {
        return m_problem.tensor(t).elements() > m_hw.fastMemoryCapacity;
    }
    /// R4.7 forbids a pointwise result as this operand of m inside one subgraph.
    [[nodiscard]] bool prologueForbids(OpId m, bool left) const
    {
        return m_limited && m_problem.reductionSize(m) > (left ? m_hw.nativeWidth : m_hw.nativeHeight);
    }
    /// Whether m has to read the operand from slow memory.
    [[nodiscard]] bool outside(TensorId t, OpId m, bool left) const
    {
        if (m_problem.isGraphInput(t))
            return true;
        return tooLarge(t) && m_problem.op(*m_problem.producer(t)).type == OpType::Pointwise &&
               prologueForbids(m, left);
    }
    [[nodiscard]] double passes(TensorId t, OpId m, bool left) const
    {
        if (!m_limited || !tooLarge(t) || m_problem.reductionSize(m) <= m_hw.nativeK() || mayServe(m, left))
            return 1;
        const Tensor& out = m_problem.tensor(m_problem.op(m).output);
        return static_cast<double>(left ? ceilDiv(out.width, m_hw.nativeWidth)
                                        : ceilDiv(out.height, m_hw.nativeHeight));
    }
    /// Whether m's result may be the LHS (left) or RHS of a MatMul of the same subgraph, directly or through
    /// pointwise ops.
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
    bool m_limited;
};

} // namespace

TrafficBound trafficBound(const Problem& problem, const Rules& rules)
{
    TrafficBound bound;
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        bound.compute += leastCompute(problem, rules, OpId(i));
    bound.memory = ForcedTraffic(problem, rules).elements() /
                   static_cast<double>(problem.hardware().slowMemoryBandwidth);
    return bound;
}

} // namespace tilewright
