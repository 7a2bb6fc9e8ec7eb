// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/request_kinds.h"

#include "rules/prologue.h"

#include <cstdint>

namespace tilewright {

namespace {

/// Kinds of the two axes (rows, columns) by which an op can be requested (R6): S = spatial, K = reduction. A
/// bit set of the four combinations.
enum Kinds : std::uint8_t { kSS = 1, kSK = 2, kKS = 4, kKK = 8 };

} // namespace

bool isFusionForbidden(const Problem& problem, const Rules& rules, TensorId t, OpId consumer)
{
    const auto producer = problem.producer(t);
    const Op& op = problem.op(consumer);
    if (!producer || op.type != OpType::MatMul || problem.op(*producer).type != OpType::Pointwise)
        return false;
    return (op.inputs[0] == t && isPrologueForbidden(problem, rules, consumer, true)) ||
           (op.inputs[1] == t && isPrologueForbidden(problem, rules, consumer, false));
}

std::vector<SpatialAxes> spatialAxes(const Problem& problem, const Rules& rules)
{
    std::vector<std::uint8_t> kinds(problem.opCount(), kSS);
    std::vector<SpatialAxes> out(problem.opCount());
    const auto& order = problem.topologicalOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Op& op = problem.op(*it);
        std::uint8_t& mine = kinds[it->index()];
        for (const OpId c : problem.consumers(op.output)) {
            if (isFusionForbidden(problem, rules, op.output, c))
                continue;
            const Op& consumer = problem.op(c);
            const std::uint8_t theirs = kinds[c.index()];
            if (consumer.type == OpType::Pointwise) {
                mine |= theirs;
                continue;
            }
            if (consumer.inputs[0] == op.output) { // requests for a LHS: (kind of rows, K)
                mine |= theirs & (kSS | kSK) ? kSK : 0;
                mine |= theirs & (kKS | kKK) ? kKK : 0;
            }
            if (consumer.inputs[1] == op.output) { // requests for a RHS: (K, kind of columns)
                mine |= theirs & (kSS | kKS) ? kKS : 0;
                mine |= theirs & (kSK | kKK) ? kKK : 0;
            }
        }
        out[it->index()] = {!(mine & (kKS | kKK)), !(mine & (kSK | kKK))};
    }
    return out;
}

} // namespace tilewright
