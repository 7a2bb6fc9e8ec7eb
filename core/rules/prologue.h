// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <optional>

namespace tilewright {

/// R4.7: a MatMul that reads what a Pointwise of the same subgraph produces.
struct Prologue
{
    OpId pointwise;
    bool left = true;       ///< feeds the LHS, so that w is bounded; the RHS bounds h
    std::int64_t least = 1; ///< K of the MatMul: what w or h must at least be
};

/// What R4.7 demands because of one MatMul. `insideProducer(t)`: the op of the subgraph that produces t, if
/// any.
template <class InsideProducer, class Visit>
void forEachPrologue(const Problem& problem, OpId matmul, const Rules& rules, InsideProducer&& insideProducer,
                     Visit&& visit)
{
    const Op& op = problem.op(matmul);
    if (rules.prologue == Rules::Prologue::Off || op.type != OpType::MatMul)
        return;
    for (const bool left : {true, false})
        if (const std::optional<OpId> p = insideProducer(op.inputs[left ? 0 : 1]);
            p && problem.op(*p).type == OpType::Pointwise)
            visit(Prologue{*p, left, problem.reductionSize(matmul)});
}

} // namespace tilewright
