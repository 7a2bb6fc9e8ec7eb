// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

/// A problem as the search for repeating blocks sees it: ops are numbers, operands that are views stand for
/// their bases.
class OpWiring
{
public:
    static constexpr int kNone = -1;
    struct Operand
    {
        int producer = kNone; ///< op, or none of a graph input
        TensorId tensor;
    };

    /// An input as the op reads it: one operand, or the bases of a view.
    struct Input
    {
        TensorId tensor;
        int arrangement = 0; ///< equal for views that are made of equal shapes; 0 of a plain tensor
        std::span<const Operand> operands;
    };

    explicit OpWiring(const Problem& problem);

    [[nodiscard]] int size() const { return static_cast<int>(m_kind.size()); }
    /// Equal for ops that are equal but for where their inputs come from: type, base cost and all shapes.
    [[nodiscard]] int kind(int op) const { return m_kind[at(op)]; }
    [[nodiscard]] std::span<const Input> inputs(int op) const
    {
        return std::span(m_inputs).subspan(m_firstInput[at(op)],
                                           m_firstInput[at(op) + 1] - m_firstInput[at(op)]);
    }
    /// Of all inputs.
    [[nodiscard]] std::span<const Operand> operands(int op) const
    {
        return std::span(m_operands)
            .subspan(m_firstOperand[at(op)], m_firstOperand[at(op) + 1] - m_firstOperand[at(op)]);
    }
    [[nodiscard]] int depth(int op) const
    {
        return m_depth[at(op)];
    } ///< longest way from an op without producers
    [[nodiscard]] const std::vector<int>& order() const { return m_order; } ///< topological, by depth

    static std::size_t at(int op) { return static_cast<std::size_t>(op); }

private:
    std::vector<int> m_kind, m_depth, m_order;
    std::vector<std::size_t> m_firstInput, m_firstOperand; // per op, and the end
    std::vector<Input> m_inputs;
    std::vector<Operand> m_operands;
};

/// Equal blocks in a row, before they are named: op i of each corresponds.
using Blocks = std::vector<std::vector<int>>;

/// Given ops that may be the last of equal blocks in a row, each behind the one before: the longest run of
/// equal blocks, exactly. A block is what leads to its last op and not to the one before, and what follows
/// from that alone and leads nowhere. The first is what corresponds to the second. `visited` grows by the ops
/// looked at.
[[nodiscard]] Blocks blocksEndingIn(const OpWiring& wiring, const std::vector<int>& lastOps,
                                    std::size_t& visited);

} // namespace tilewright
