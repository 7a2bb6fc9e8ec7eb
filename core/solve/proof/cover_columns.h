// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "rules/rules.h"
#include "solve/cost/cost_model.h"
#include "solve/proof/set_frontier.h"
#include "workload/problem.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// How much of which row of a cover something achieves.
struct Achieved
{
    std::size_t row;
    double amount;
};

/// The rows and columns of the cover of some ops (docs/rules/bound.md 1): what a schedule has to achieve with
/// them, and subgraphs of them with what they cost at least and what they achieve.
class CoverColumns : public PricedRows
{
public:
    struct Column
    {
        std::vector<OpId> ops;                 ///< topological order
        std::vector<TensorId> stayIn, stayOut; ///< in fast memory before it and behind it
        bool sharp = false;                    ///< CostModel::leastByDepth() is in the latency
        double least = 0;                      ///< latency
        std::vector<Achieved> achieves;
    };

    /// `classes`: by op; those with equal numbers have the same prices. None: each has its own. The ops: of
    /// one or several components. As many threads may call at once as there are models, of the same problem.
    CoverColumns(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                 std::vector<std::uint32_t> classes, std::vector<CostModel>& models);

    /// The ops in topological order. The latency is infinite where the subgraph does not fit. Nothing when
    /// the cost is not known.
    [[nodiscard]] std::optional<Column> subgraph(const std::vector<OpId>& ops,
                                                 const std::vector<TensorId>& stayIn,
                                                 const std::vector<TensorId>& stayOut, std::size_t thread);
    /// Equal ones are of subgraphs that cost and achieve the same.
    [[nodiscard]] Digest keyOf(const std::vector<OpId>& ops, const std::vector<TensorId>& stayIn,
                               const std::vector<TensorId>& stayOut) const;
    /// Raises the latency: for some times the work.
    void sharpen(Column& column, std::size_t thread);

    /// By row: how much of it has to be achieved, and the ops whose price it is.
    [[nodiscard]] const std::vector<double>& demands() const noexcept { return m_demands; }
    [[nodiscard]] const std::vector<std::vector<OpId>>& opsOfRow() const noexcept { return m_rowOps; }
    [[nodiscard]] std::size_t runs(OpId o) const override { return m_runs[o.index()]; }
    [[nodiscard]] std::optional<std::size_t> written(TensorId t) const override
    {
        return m_written[t.index()];
    }
    [[nodiscard]] std::optional<std::size_t> handed(TensorId t) const override { return m_handed[t.index()]; }
    [[nodiscard]] std::optional<std::size_t> reaches(TensorId t, OpId reader) const override;
    [[nodiscard]] bool mayStay(TensorId t) const override;
    [[nodiscard]] bool covers(OpId o) const override { return m_isHere[o.index()] != 0; }

private:
    using Row = std::size_t;
    void addRows(const std::vector<OpId>& ops);
    [[nodiscard]] std::vector<Achieved> achievedBy(const std::vector<OpId>& ops,
                                                   const std::vector<TensorId>& stayIn,
                                                   const std::vector<TensorId>& stayOut) const;

    const Problem& m_problem;
    const Rules& m_rules;
    std::vector<CostModel>& m_models; ///< by thread
    bool m_keepsInputs;
    std::vector<char> m_isHere; ///< by op

    std::vector<double> m_demands;
    std::vector<std::vector<OpId>> m_rowOps;
    std::vector<std::uint32_t> m_classes; ///< by op
    std::vector<Row> m_runs;
    std::vector<std::optional<Row>> m_written, m_handed;
    std::unordered_map<std::uint64_t, Row> m_reaches; ///< by tensor and reader
};

} // namespace tilewright
