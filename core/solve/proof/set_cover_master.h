// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "solve/cost/cost_model.h"
#include "solve/proof/dual_pricer.h"
#include "solve/proof/set_pricing.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// Master problem of the set-cover bound. Its columns are the known subgraphs of some ops, each with a lower
/// bound of its latency and its coefficients in the rows (docs/rules/bound.md 1 and 3).
class SetCoverMaster : public DualPricer
{
public:
    /// A column; its ops are in topological order.
    struct Column : SetPricing::Set
    {
        bool sharp = false;                ///< true if `cost` is at least CostModel::anyOrderBoundByDepth()
        double cost = 0;                   ///< lower bound of the latency
        std::vector<Entry> achieves = {};  ///< coefficients, ascending by row; each row once
        std::uint32_t program = kInactive; ///< index in the linear program
    };

    /// Creates a master problem for the ops of one or several components. `classes` has a number for each op
    /// of the problem; ops with equal numbers have equal prices. If it is empty, each op has its own price.
    /// The number of threads is the number of models.
    SetCoverMaster(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                   std::vector<std::uint32_t> classes, std::vector<CostModel>& models,
                   std::function<double()> secondsLeft);

    /// Returns a subgraph as a column with its cost, which is infinite if the subgraph does not fit. Returns
    /// nothing if the cost model does not support the subgraph. The ops must be in topological order. Several
    /// threads may call this, each with its own `thread`.
    [[nodiscard]] std::optional<Column> columnOf(const SetPricing::Set& subgraph, std::size_t thread) const;
    /// Key that is equal for subgraphs with equal cost and coefficients. The ops must be in topological
    /// order.
    [[nodiscard]] Digest keyOf(const SetPricing::Set& subgraph) const;
    /// Adds columns. If they are overpriced, the valid prices are lowered.
    void add(std::vector<Column> columns);
    /// Returns valid prices that are not higher than the given ones. Overpriced columns first get tighter
    /// cost bounds. Lowers only the prices of rows in which no column has a negative coefficient, so no
    /// column becomes overpriced, whether it is in this master problem or not. If that is not enough, all
    /// prices of the result are 0.
    [[nodiscard]] Prices lowerUntilValid(Prices prices);
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
            out.subtract(e.coefficient * prices[e.row]);
        return out;
    }
    [[nodiscard]] bool isActive(std::size_t column) const override
    {
        return m_columns[column].program != kInactive;
    }
    void activate(const OverpricedList& columns, const Prices& prices) override;
    [[nodiscard]] std::vector<Entry> achievedBy(const SetPricing::Set& subgraph) const;

    const Problem& m_problem;
    std::vector<CostModel>& m_models; ///< one model for each thread
    bool m_keepsInputs;
    std::vector<std::uint32_t> m_classes; ///< class of each op
    std::vector<Column> m_columns;
};

} // namespace tilewright
