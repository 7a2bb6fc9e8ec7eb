// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/bound.h"

#include "base/integer.h"

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

SolveBound solveLowerBound(const Problem& problem, const Rules& rules)
{
    SolveBound bound;
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        bound.compute += leastCompute(problem, rules, OpId(i));
    double traffic = 0;
    for (const TensorId t : problem.graphInputs())
        traffic += static_cast<double>(problem.tensor(t).elements());
    for (const TensorId t : problem.graphOutputs())
        traffic += static_cast<double>(problem.tensor(t).elements());
    bound.memory = traffic / static_cast<double>(problem.hardware().slowMemoryBandwidth);
    return bound;
}

} // namespace tilewright
