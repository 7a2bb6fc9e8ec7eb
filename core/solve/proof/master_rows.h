// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "workload/problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// The rows of a master problem whose columns are subgraphs of some ops (docs/rules/bound.md 1): every op
/// runs, every result reaches each of its readers, results are written to slow memory, and what a subgraph
/// takes from fast memory was retained by another one. Both the set-cover bound and branch and bound use
/// them.
class MasterRows
{
public:
    using Row = std::size_t;

    /// The ops of one or several components (componentsOf()). `classes`: a number for each op of the problem;
    /// ops with equal numbers share their rows. Empty: each op has rows of its own.
    MasterRows(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
               const std::vector<std::uint32_t>& classes = {});

    /// Right-hand side of each row: how much of it has to be achieved.
    [[nodiscard]] const std::vector<double>& demands() const noexcept { return m_demands; }
    /// For each row the ops that it is about, or whose result it is about.
    [[nodiscard]] const std::vector<std::vector<OpId>>& opsOfRow() const noexcept { return m_rowOps; }

    /// "This op runs". Only for ops that the rows cover.
    [[nodiscard]] Row runs(OpId o) const { return m_runs[o.index()]; }
    /// "This tensor is written to slow memory"; none where nothing demands it.
    [[nodiscard]] std::optional<Row> written(TensorId t) const { return m_written[t.index()]; }
    /// "What takes this tensor from fast memory follows a subgraph that retains it"; none where it cannot be
    /// retained.
    [[nodiscard]] std::optional<Row> handedOver(TensorId t) const { return m_handedOver[t.index()]; }
    /// "This tensor reaches this reader"; none where no op of these produces it.
    [[nodiscard]] std::optional<Row> reaches(TensorId t, OpId reader) const;
    /// Whether a subgraph may find the tensor in fast memory or retain it.
    [[nodiscard]] bool mayBeResident(TensorId t) const;
    /// Whether the op is one of these.
    [[nodiscard]] bool covers(OpId o) const { return m_isCovered[o.index()] != 0; }

private:
    const Problem& m_problem;
    const Rules& m_rules;
    bool m_keepsInputs;            ///< retain_inputs=allow: a tensor may stay over several subgraphs
    std::vector<char> m_isCovered; ///< by op
    std::vector<double> m_demands;
    std::vector<std::vector<OpId>> m_rowOps;
    std::vector<Row> m_runs;                                 ///< by op
    std::vector<std::optional<Row>> m_written, m_handedOver; ///< by tensor
    std::unordered_map<std::uint64_t, Row> m_reaches;        ///< by tensor and reader
};

} // namespace tilewright
