// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost/cost_model.h"
#include "solve/proof/dual_pricer.h"
#include "solve/proof/proof_graph.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright {

/// A column of branch and bound: an op set that may be one subgraph, with what has been decided about what is
/// in fast memory before it and after it. What is open is free: it costs nothing and counts as achieved.
struct ProofColumn
{
    OpMask ops = 0;
    OpMask resident = 0, openResident = 0; ///< results that it reads: are in fast memory; may be
    OpMask retained = 0, openRetained = 0; ///< its own results: stay in fast memory; may stay
    double least = 0;                      ///< lower bound of its latency; infinite: no column
    double reduced = 0;                    ///< reduced cost at the best valid prices
    std::uint32_t program = std::numeric_limits<std::uint32_t>::max(); ///< number in the linear program
    bool sharp = false; ///< CostModel::leastByDepth() is in `least`
    bool exact = false; ///< `least` is the latency of the best tiling with a preset traversal
    [[nodiscard]] bool decided() const noexcept { return (openResident | openRetained) == 0; }
};

/// Master problem of branch and bound: all columns that may be part of a schedule with a latency below an
/// upper bound. Columns whose reduced cost is too large for that are removed whenever the prices get better
/// (docs/rules/bound.md 2 and 7).
class ProofColumns : public DualPricer
{
public:
    struct Limits
    {
        std::size_t columns = 0; ///< at most
        std::size_t threads = 1;
        std::function<double()> secondsLeft; ///< asked often, by the calling thread
    };

    ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound, const Limits& limits);
    /// Lists every op set that can be a subgraph. False when there are too many, or too little time.
    [[nodiscard]] bool list(const Rules& rules);
    /// Improves the prices as far as possible. False without valid prices.
    bool price()
    {
        improve();
        return value() > 0;
    }
    /// Splits all columns until none is open. False when that gives too many.
    [[nodiscard]] bool decideAll();
    /// Lets visit(column) raise `least` of these columns.
    void raise(const std::vector<std::size_t>& which, const std::function<void(ProofColumn&)>& visit);
    /// Columns without exact latency: those of the cheapest cover, then those of least reduced cost.
    [[nodiscard]] std::vector<std::size_t> inexact(std::size_t most) const;

    [[nodiscard]] const std::vector<ProofColumn>& columns() const noexcept { return m_columns; }
    [[nodiscard]] double upperBound() const noexcept { return settings().goal; }
    /// The bound broken down: prices by op, and the groups of the cheapest cover.
    [[nodiscard]] SetCoverBound cover() const { return describe(std::min(value(), upperBound()), prices()); }
    /// Sets what is called when value() has become higher.
    void onBound(std::function<void()> call) { m_onBound = std::move(call); }
    /// Lower bound by the prices of what is still to be paid when these results are in slow memory, and these
    /// in fast memory for the next subgraph.
    [[nodiscard]] double remaining(OpMask slow, OpMask resident) const;
    /// Lower bound of a subgraph between exactly these, in any order of tiles.
    [[nodiscard]] double leastBetween(OpMask ops, OpMask resident, OpMask retained);

private:
    /// The columns that one becomes when one more thing is decided; fewer where a part cannot be.
    struct Parts
    {
        std::array<ProofColumn, 2> part;
        std::size_t count = 0;
    };
    struct Split
    {
        ProofColumn column;
        bool isOverpriced;
    };

    [[nodiscard]] std::size_t columnCount() const override { return m_columns.size(); }
    [[nodiscard]] double cost(std::size_t i) const override { return m_columns[i].least; }
    [[nodiscard]] std::vector<Entry> entries(std::size_t i) const override { return entriesOf(m_columns[i]); }
    [[nodiscard]] Slack reducedCost(std::size_t i, const Prices& prices) const override
    {
        return reducedCostOf(m_columns[i], prices);
    }
    [[nodiscard]] bool isActive(std::size_t i) const override { return m_columns[i].program != kInactive; }
    void activate(const OverpricedList& list, const Prices& prices) override;
    void adopted(const std::vector<double>& reduced) override;

    /// Costs a column anew. False when it is none: it does not fit.
    [[nodiscard]] bool complete(ProofColumn& column, CostModel& model, bool sharp = false) const;
    [[nodiscard]] bool isTooExpensive(const ProofColumn& column) const
    {
        return value() + column.reduced > upperBound() * (1 + 1e-9);
    }
    /// Calls visit(row, amount) for all that a column achieves (docs/rules/bound.md 1), once for a row.
    template <class Visit> void forEachAchieved(const ProofColumn& column, Visit&& visit) const;
    [[nodiscard]] std::vector<Entry> entriesOf(const ProofColumn& column) const;
    [[nodiscard]] Slack reducedCostOf(const ProofColumn& column, const Prices& prices) const;
    [[nodiscard]] Parts split(const ProofColumn& column, CostModel& model) const;
    /// Splits a column as far as these prices exceed its parts; without prices as far as needed for one part.
    [[nodiscard]] std::vector<Split> splitOverpriced(const ProofColumn& column, const Prices& prices,
                                                     CostModel& model) const;
    void deactivate(ProofColumn& column);
    void removeTooExpensive();
    /// Calls work(thread, i) for each i in threads; false when the time was up.
    template <class Work> bool forAll(std::size_t count, const Work& work) const;

    static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

    const ProofGraph& m_graph;
    std::size_t m_mostColumns;
    std::vector<CostModel> m_models; ///< by thread
    std::vector<ProofColumn> m_columns;
    std::function<void()> m_onBound;
    OpMask m_mayBeResident = 0;
    // rows
    std::vector<std::size_t> m_runs, m_written, m_handedOver; ///< by op
    std::vector<std::vector<std::size_t>> m_reaches;          ///< by reader, in the order of its inputs' bits
    std::vector<std::vector<std::size_t>> m_delivers;         ///< the same rows by producer
};

} // namespace tilewright
