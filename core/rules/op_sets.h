// SPDX-License-Identifier: GPL-3.0-or-later
// Rules on sets of ops: connectivity (R4.5), prologues (R4.7).
#pragma once

#include "workload/problem.h"
#include "workload/rules.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Returns the groups of ops that are connected by common tensors (R4.5), each in the given order. The ops
/// are connected if there is one group.
[[nodiscard]] std::vector<std::vector<OpId>> connectedGroups(const Problem& problem,
                                                             std::span<const OpId> ops);

/// Returns the ops with producers before consumers (R4.4). Apart from this, the given order is kept as far as
/// possible.
[[nodiscard]] std::vector<OpId> inTopologicalOrder(const Problem& problem, std::span<const OpId> ops);

/// A MatMul that reads the result of a Pointwise of the same subgraph (R4.7). With prologue=split_only the
/// rule only holds if k is below `least`.
struct Prologue
{
    OpId pointwise;
    /// true: the Pointwise feeds the LHS and bounds w; false: it feeds the RHS and bounds h
    bool left = true;
    std::int64_t least = 1; ///< least w or h: K of the MatMul
};

/// Calls `visit` for each requirement of R4.7 that one MatMul causes. `insideProducer(t)` returns the op of
/// the subgraph that produces t, if any.
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

/// True if a Pointwise can never produce this operand of the MatMul in the same subgraph: R4.7 requires a
/// size above the limit of R4.1, and no k within R4.2 spans the whole reduction (prologue=split_only).
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
