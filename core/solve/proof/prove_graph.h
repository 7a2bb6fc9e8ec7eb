// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <bit>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Bit i: op i of the topological order, or its output.
using ProofMask = std::uint64_t;

/// What a proof asks of a problem of at most 64 ops, as masks.
struct ProofGraph
{
    ProofGraph(const Problem& problem, const Rules& rules);

    static constexpr std::size_t kMostOps = 64;
    [[nodiscard]] static constexpr ProofMask bit(std::size_t i) { return ProofMask{1} << i; }
    [[nodiscard]] std::size_t size() const noexcept { return ops.size(); }
    [[nodiscard]] TensorId output(std::size_t i) const { return problem.op(ops[i]).output; }
    [[nodiscard]] std::vector<OpId> opsOf(ProofMask mask) const;
    [[nodiscard]] std::vector<TensorId> outputsOf(ProofMask mask) const;
    [[nodiscard]] std::int64_t elementsOf(ProofMask mask) const;
    [[nodiscard]] ProofMask neededBy(ProofMask set) const; ///< boundary inputs that some op makes (R3.1)
    [[nodiscard]] ProofMask basesOf(ProofMask set) const;
    [[nodiscard]] ProofMask sinksOf(ProofMask set) const;

    const Problem& problem;
    std::vector<OpId> ops;          ///< topological order
    std::vector<ProofMask> inputs;  ///< by op: the ops whose results it reads
    std::vector<ProofMask> readers; ///< by op: the ops that read its result
    std::vector<ProofMask> bases;   ///< by op: in slow memory before it (R1.7)
    std::vector<ProofMask> never;   ///< by op: readers that never run together with it
    ProofMask outputs = 0;          ///< of the graph
    ProofMask written = 0;          ///< to be in slow memory some time: these, and bases
    ProofMask mayStay = 0;          ///< results that fit in fast memory
};

[[nodiscard]] inline std::size_t lowestBit(ProofMask mask)
{
    return static_cast<std::size_t>(std::countr_zero(mask));
}

/// Calls visit(i) for every bit.
template <class Visit> void forEachBit(ProofMask mask, Visit&& visit)
{
    for (; mask != 0; mask &= mask - 1)
        visit(lowestBit(mask));
}

} // namespace tilewright
