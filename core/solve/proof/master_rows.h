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

/// Rows of a master problem whose columns are subgraphs (docs/rules/bound.md 1): every op runs, every result
/// reaches each of its readers, results are written to slow memory, and every tensor read from fast memory
/// was retained by another subgraph. The set-cover bound and branch and bound use these rows.
class MasterRows
{
public:
    using Row = std::size_t;

    /// Creates the rows for the ops of one or several components (componentsOf()). `classes` has a number for
    /// each op of the problem; ops with equal numbers share rows. If it is empty, each op has its own rows.
    MasterRows(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
               const std::vector<std::uint32_t>& classes = {});

    /// Right-hand side of each row.
    [[nodiscard]] const std::vector<double>& demands() const noexcept { return m_demands; }
    /// For each row, the ops that must run or whose results must be written or delivered.
    [[nodiscard]] const std::vector<std::vector<OpId>>& opsOfRow() const noexcept { return m_rowOps; }

    /// Row "this op runs". The op must be covered.
    [[nodiscard]] Row runs(OpId o) const { return m_runs[o.index()]; }
    /// Row "this tensor is written to slow memory"; nothing if no row requires it.
    [[nodiscard]] std::optional<Row> written(TensorId t) const { return m_written[t.index()]; }
    /// Row "a subgraph that reads this tensor from fast memory follows one that retains it"; nothing if the
    /// tensor cannot be retained.
    [[nodiscard]] std::optional<Row> handedOver(TensorId t) const { return m_handedOver[t.index()]; }
    /// Row "this tensor reaches this reader"; nothing if no covered op produces the tensor.
    [[nodiscard]] std::optional<Row> reaches(TensorId t, OpId reader) const;
    /// True if the tensor may be retained, and thus be in fast memory at the start of a subgraph.
    [[nodiscard]] bool mayBeResident(TensorId t) const;
    /// True if the rows cover this op.
    [[nodiscard]] bool covers(OpId o) const { return m_isCovered[o.index()] != 0; }

private:
    const Problem& m_problem;
    const Rules& m_rules;
    /// True if retain_inputs=allow: a tensor may stay in fast memory over several subgraphs.
    bool m_keepsInputs;
    std::vector<char> m_isCovered; ///< for each op, whether the rows cover it
    std::vector<double> m_demands;
    std::vector<std::vector<OpId>> m_rowOps;
    std::vector<Row> m_runs; ///< row "this op runs" of each op
    /// Rows "this tensor is written" and "this tensor is handed over" of each tensor.
    std::vector<std::optional<Row>> m_written, m_handedOver;
    /// Rows "this tensor reaches this reader", by tensor and reader.
    std::unordered_map<std::uint64_t, Row> m_reaches;
};

} // namespace tilewright
