// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

/// The graph of a problem in the form that the search for repeating blocks uses: ops are integers, and a view
/// is replaced by its bases.
class OpWiring
{
public:
    static constexpr int kNone = -1;
    struct Operand
    {
        int producer = kNone; ///< op that produces the tensor; kNone for a graph input
        TensorId tensor;
    };

    /// One input of an op: a plain tensor with one operand, or a view with its bases as operands.
    struct Input
    {
        TensorId tensor;
        int arrangement = 0; ///< equal for views with equal shapes of view and bases; 0 for a plain tensor
        std::span<const Operand> operands;
    };

    explicit OpWiring(const Problem& problem);

    [[nodiscard]] int size() const { return static_cast<int>(m_kind.size()); }
    /// Class of the op. Ops with equal type, base cost and shapes are in one class, whatever their sources
    /// are.
    [[nodiscard]] int kind(int op) const { return m_kind[at(op)]; }
    [[nodiscard]] std::span<const Input> inputs(int op) const
    {
        return std::span(m_inputs).subspan(m_firstInput[at(op)],
                                           m_firstInput[at(op) + 1] - m_firstInput[at(op)]);
    }
    /// Operands of all inputs of the op, one after another.
    [[nodiscard]] std::span<const Operand> operands(int op) const
    {
        return std::span(m_operands)
            .subspan(m_firstOperand[at(op)], m_firstOperand[at(op) + 1] - m_firstOperand[at(op)]);
    }
    /// Length of the longest path from an op without producers.
    [[nodiscard]] int depth(int op) const { return m_depth[at(op)]; }
    /// Ops in topological order, sorted by depth.
    [[nodiscard]] const std::vector<int>& order() const { return m_order; }

    static std::size_t at(int op) { return static_cast<std::size_t>(op); }

private:
    std::vector<int> m_kind, m_depth, m_order;
    // Per op: index of its first input (operand), plus the end.
    std::vector<std::size_t> m_firstInput, m_firstOperand;
    std::vector<Input> m_inputs;
    std::vector<Operand> m_operands;
};

/// Equal blocks that follow each other, without names. Op i of a block corresponds to op i of every other
/// block.
using Blocks = std::vector<std::vector<int>>;

/// Finds the longest run of equal blocks whose last ops are among `lastOps`, which are in topological order.
/// The result is exact. A block consists of the ops that lead to its last op and not to an earlier one, and
/// of the ops that depend only on those and lead to no last op. The ops of the first block are those that
/// correspond to the ops of the second block. `visited` is increased by the number of ops examined.
[[nodiscard]] Blocks blocksEndingIn(const OpWiring& wiring, const std::vector<int>& lastOps,
                                    std::size_t& visited);

} // namespace tilewright
