// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstdint>
#include <optional>

namespace tilewright {

/// R4.7: a MatMul that reads what a Pointwise of the same subgraph produces. prologue=split_only: only where
/// k is below `least`.
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

/// Whether the result of a Pointwise can be this operand of the MatMul inside no subgraph at all: R4.7 asks
/// for more than R4.1 allows, and no k that R4.2 allows is the whole reduction (prologue=split_only).
[[nodiscard]] inline bool isPrologueForbidden(const Problem& problem, const Rules& rules, OpId matmul,
                                              bool left)
{
    if (rules.prologue == Rules::Prologue::Off || rules.superNative == Rules::SuperNative::Ceil)
        return false;
    const Hardware& hw = problem.hardware();
    const std::int64_t least = problem.reductionSize(matmul);
    const bool splits = rules.prologue == Rules::Prologue::Always ||
                        (rules.kLimit == Rules::KLimit::Native && least > hw.nativeK());
    return splits && least > (left ? hw.nativeWidth : hw.nativeHeight);
}

} // namespace tilewright
