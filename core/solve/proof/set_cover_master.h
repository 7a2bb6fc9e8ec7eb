// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "solve/cost/cost_model.h"
#include "solve/proof/dual_pricer.h"
#include "solve/proof/set_pricing.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// Master problem of the set-cover bound: its columns are the subgraphs of some ops that are known so far,
/// each with what it costs at least and what it achieves (docs/rules/bound.md 1 and 3).
class SetCoverMaster : public DualPricer
{
public:
    /// `ops` in topological order.
    struct Column : SetPricing::Set
    {
        bool sharp = false;                ///< CostModel::leastByDepth() is in the cost
        double cost = 0;                   ///< latency at least
        std::vector<Entry> achieves = {};  ///< each row once, ascending
        std::uint32_t program = kInactive; ///< number in the linear program
    };

    /// The ops of one or several components. `classes`: a number for each op of the problem; ops with equal
    /// numbers have equal prices. Empty: each has its own. As many threads are used as there are models.
    SetCoverMaster(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                   std::vector<std::uint32_t> classes, std::vector<CostModel>& models,
                   std::function<double()> secondsLeft);

    /// A column with its cost, infinite where the subgraph does not fit; nothing when the cost model cannot
    /// say. `subgraph`: its ops in topological order. Any thread may call it with its own number.
    [[nodiscard]] std::optional<Column> columnOf(const SetPricing::Set& subgraph, std::size_t thread) const;
    /// Equal for subgraphs that cost and achieve the same. The ops in topological order.
    [[nodiscard]] Digest keyOf(const SetPricing::Set& subgraph) const;
    /// Adds columns. Prices that were valid become lower where these are overpriced.
    void add(std::vector<Column> columns);
    /// Prices no higher than these that hold for all columns, after the overpriced ones were costed closely;
    /// all 0 where there are none. Only prices of demanded rows are lowered: what did not exceed its cost
    /// before does not afterwards, whether it is a column here or not.
    [[nodiscard]] Prices lowerToHold(Prices prices);
    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return m_columns; }

private:
    [[nodiscard]] std::size_t columnCount() const override { return m_columns.size(); }
    [[nodiscard]] double cost(std::size_t column) const override { return m_columns[column].cost; }
    [[nodiscard]] std::vector<Entry> entries(std::size_t column) const override
    {
        return m_columns[column].achieves;
    }
    [[nodiscard]] Slack reducedCost(std::size_t column, const Prices& prices) const override
    {
        Slack out(m_columns[column].cost);
        for (const Entry& e : m_columns[column].achieves)
            out.take(e.coefficient * prices[e.row]);
        return out;
    }
    [[nodiscard]] bool isActive(std::size_t column) const override
    {
        return m_columns[column].program != kInactive;
    }
    void activate(const OverpricedList& columns, const Prices& prices) override;
    [[nodiscard]] std::vector<Entry> achievedBy(const SetPricing::Set& subgraph) const;

    const Problem& m_problem;
    std::vector<CostModel>& m_models; ///< by thread
    bool m_keepsInputs;
    std::vector<std::uint32_t> m_classes; ///< by op
    std::vector<Column> m_columns;
};

} // namespace tilewright
