// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace tilewright {

/// A set of ops, or of their results: bit i stands for op i of a ProofGraph.
using OpMask = std::uint64_t;

/// Dependencies among at most 64 ops of a problem, as bit masks.
struct ProofGraph
{
    /// The ops have to be in topological order.
    ProofGraph(const Problem& problem, std::vector<OpId> ops);

    static constexpr std::size_t kMostOps = 64;
    [[nodiscard]] static constexpr OpMask bit(std::size_t i) { return OpMask{1} << i; }
    [[nodiscard]] std::size_t size() const noexcept { return ops.size(); }
    [[nodiscard]] TensorId output(std::size_t i) const { return problem.op(ops[i]).output; }
    /// Returns the mask of those tensors that ops of this graph produce.
    [[nodiscard]] OpMask maskOf(const std::vector<TensorId>& tensors) const;
    [[nodiscard]] std::vector<OpId> opsOf(OpMask mask) const;
    [[nodiscard]] std::vector<TensorId> outputsOf(OpMask mask) const;
    [[nodiscard]] std::int64_t elementsOf(OpMask mask) const;
    [[nodiscard]] OpMask neededBy(OpMask set) const; ///< producers of the set's boundary inputs (R3.1)
    [[nodiscard]] OpMask basesOf(OpMask set) const;
    [[nodiscard]] OpMask sinksOf(OpMask set) const; ///< results that no op of the set reads

    /// Calls visit(i) for every op that must still run. These are the ops in `run`, the ops whose results
    /// must be written to slow memory (`write`), and the producers of the missing inputs of all these ops. An
    /// input is not missing if it is in slow memory, or if it is resident and not read through a view.
    /// Returns the results that must be written to slow memory: `write` and the missing inputs that are read
    /// through views.
    template <class Visit>
    OpMask forEachMissing(OpMask write, OpMask run, OpMask slow, OpMask resident, Visit&& visit) const;
    /// Returns the bit of the op that produces a tensor; 0 if none of these ops does.
    [[nodiscard]] OpMask producerOf(TensorId t) const;

    const Problem& problem;
    std::vector<OpId> ops;
    std::vector<OpMask> inputs;  ///< for each op, the ops whose results it reads
    std::vector<OpMask> readers; ///< for each op, the ops that read its result
    /// For each op, the ops whose results it reads through views, so from slow memory (R1.7).
    std::vector<OpMask> bases;
    OpMask outputs = 0; ///< ops that produce graph outputs

private:
    /// For each op of the problem, its bit; 64 if it is not in this graph.
    std::vector<std::uint8_t> m_place;
};

[[nodiscard]] inline std::size_t lowestBit(OpMask mask)
{
    return static_cast<std::size_t>(std::countr_zero(mask));
}

/// Calls visit(i) for every set bit i.
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
