// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace tilewright {

/// A set of ops, or of their results. Bit i: op i of a ProofGraph.
using OpMask = std::uint64_t;

/// Dependencies among at most 64 ops of a problem, as bit masks.
struct ProofGraph
{
    /// `ops` in topological order.
    ProofGraph(const Problem& problem, std::vector<OpId> ops);

    static constexpr std::size_t kMostOps = 64;
    [[nodiscard]] static constexpr OpMask bit(std::size_t i) { return OpMask{1} << i; }
    [[nodiscard]] std::size_t size() const noexcept { return ops.size(); }
    [[nodiscard]] TensorId output(std::size_t i) const { return problem.op(ops[i]).output; }
    [[nodiscard]] OpMask maskOf(const std::vector<TensorId>& tensors) const; ///< those that an op produces
    [[nodiscard]] std::vector<OpId> opsOf(OpMask mask) const;
    [[nodiscard]] std::vector<TensorId> outputsOf(OpMask mask) const;
    [[nodiscard]] std::int64_t elementsOf(OpMask mask) const;
    [[nodiscard]] OpMask neededBy(OpMask set) const; ///< producers of its boundary inputs (R3.1)
    [[nodiscard]] OpMask basesOf(OpMask set) const;
    [[nodiscard]] OpMask sinksOf(OpMask set) const; ///< results that no op of the set reads

    /// Calls visit(i) for every op that has to run again so that `write` gets to slow memory and `run` has
    /// run: these and, one after the other, the producers of what they need, unless that is in slow memory
    /// or, other than for bases, in fast memory. Returns what has to be written: `write`, and bases.
    template <class Visit>
    OpMask forEachMissing(OpMask write, OpMask run, OpMask slow, OpMask resident, Visit&& visit) const;
    /// The bit of the op that produces a tensor; 0 if none of these does.
    [[nodiscard]] OpMask producerOf(TensorId t) const;

    const Problem& problem;
    std::vector<OpId> ops;
    std::vector<OpMask> inputs;  ///< by op: the ops whose results it reads
    std::vector<OpMask> readers; ///< by op: the ops that read its result
    std::vector<OpMask> bases;   ///< by op: what it reads through views, so from slow memory (R1.7)
    OpMask outputs = 0;          ///< of the graph

private:
    std::vector<std::uint8_t> m_place; ///< by op of the problem; 64: none of these
};

[[nodiscard]] inline std::size_t lowestBit(OpMask mask)
{
    return static_cast<std::size_t>(std::countr_zero(mask));
}

/// Calls visit(i) for every bit.
template <class Visit> void forEachBit(OpMask mask, Visit&& visit)
{
    for (; mask != 0; mask &= mask - 1)
        visit(lowestBit(mask));
}

template <class Visit>
OpMask ProofGraph::forEachMissing(OpMask write, OpMask run, OpMask slow, OpMask resident, Visit&& visit) const
{
    OpMask written = write & ~slow;
    OpMask all = written | run;
    for (OpMask todo = all; todo != 0;) {
        const std::size_t i = lowestBit(todo);
        todo &= todo - 1;
        visit(i);
        const OpMask missing = bases[i] & ~slow;
        written |= missing;
        const OpMask more = (missing | (inputs[i] & ~slow & ~resident)) & ~all;
        all |= more;
        todo |= more;
    }
    return written;
}

} // namespace tilewright
