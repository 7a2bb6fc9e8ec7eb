// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost/cost_model.h"
#include "solve/proof/dual_pricer.h"
#include "solve/proof/state_search.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace tilewright {

/// A column of branch and bound: an op set that may be a subgraph, with decisions on the tensors in fast
/// memory before and after it. For an undecided tensor both cases are still possible. An undecided tensor
/// costs nothing, and the column satisfies its rows.
struct ProofColumn
{
    OpMask ops = 0;
    /// Results of other ops that the set reads: those in fast memory at its start, and the undecided ones.
    OpMask resident = 0, openResident = 0;
    /// Results of the ops of the set: those that it retains in fast memory, and the undecided ones.
    OpMask retained = 0, openRetained = 0;
    /// Lower bound of the column's latency; infinite if the set cannot be a subgraph.
    double least = 0;
    double reduced = 0; ///< reduced cost of the column under the best valid prices
    std::uint32_t program = std::numeric_limits<std::uint32_t>::max(); ///< index in the linear program
    bool sharp = false; ///< true if `least` is at least CostModel::anyOrderBoundByDepth()
    bool exact = false; ///< true if `least` is the latency of the best tiling with a preset traversal
    [[nodiscard]] bool decided() const noexcept { return (openResident | openRetained) == 0; }
};

/// Master problem of branch and bound: all columns that may be part of a schedule with a latency below an
/// upper bound. Whenever the prices improve, columns whose reduced cost is too large are removed
/// (docs/rules/bound.md 2 and 7).
class ProofColumns : public DualPricer
{
public:
    struct Limits
    {
        std::size_t columns = 0; ///< maximum number of columns
        std::size_t threads = 1;
        /// Remaining time in seconds; called often, by the calling thread.
        std::function<double()> secondsLeft;
    };

    ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound, const Limits& limits);
    /// Lists every op set that can be a subgraph. Returns false if there are too many or the time is too
    /// short.
    [[nodiscard]] bool list(const Rules& rules);
    /// Improves the prices as far as possible. Returns false if there are no valid prices.
    bool price()
    {
        improve();
        return value() > 0;
    }
    /// Splits the columns until no tensor is undecided. Returns false if this gives too many columns.
    [[nodiscard]] bool decideAll();
    /// Calls visit(column) for the given columns; visit() may raise `least`. Then removes columns that are
    /// too expensive.
    void raise(const std::vector<std::size_t>& which, const std::function<void(ProofColumn&)>& visit);
    /// Returns columns without exact latency: first those in the solution of the master problem, then those
    /// with the least reduced cost.
    [[nodiscard]] std::vector<std::size_t> inexact(std::size_t most) const;

    [[nodiscard]] const std::vector<ProofColumn>& columns() const noexcept { return m_columns; }
    [[nodiscard]] double upperBound() const noexcept { return settings().goal; }
    /// Returns the bound with its details: prices by op, and the columns in the solution of the master
    /// problem.
    [[nodiscard]] SetCoverBound cover() const { return describe(std::min(value(), upperBound()), prices()); }
    /// Sets a callback that is called after value() has increased.
    void onBound(std::function<void()> call) { m_onBound = std::move(call); }
    /// Lower bound of the remaining latency, by dual prices, when the results `slow` are in slow memory and
    /// the results `resident` are in fast memory for the next subgraph.
    [[nodiscard]] double remaining(OpMask slow, OpMask resident) const;
    /// Returns a lower bound of the latency of a subgraph with exactly these resident and retained results,
    /// for any order of its tiles.
    [[nodiscard]] double leastBetween(OpMask ops, OpMask resident, OpMask retained);

private:
    /// The one or two columns that result from deciding one tensor of a column; impossible and too expensive
    /// ones are left out.
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

    /// Computes the lower bound of a column. Returns false if the column does not fit in fast memory.
    [[nodiscard]] bool computeBound(ProofColumn& column, CostModel& model, bool sharp = false) const;
    [[nodiscard]] bool isTooExpensive(const ProofColumn& column) const
    {
        return value() + column.reduced > upperBound() * (1 + 1e-9);
    }
    /// Calls visit(row, coefficient) once for each row of a column (docs/rules/bound.md 1).
    template <class Visit> void forEachAchieved(const ProofColumn& column, Visit&& visit) const;
    [[nodiscard]] std::vector<Entry> entriesOf(const ProofColumn& column) const;
    [[nodiscard]] Slack reducedCostOf(const ProofColumn& column, const Prices& prices) const;
    [[nodiscard]] Parts split(const ProofColumn& column, CostModel& model) const;
    /// Splits a column while the given prices exceed the cost of its parts. Without prices, splits it until
    /// one part is decided.
    [[nodiscard]] std::vector<Split> splitOverpriced(const ProofColumn& column, const Prices& prices,
                                                     CostModel& model) const;
    void deactivate(ProofColumn& column);
    void removeTooExpensive();
    /// Calls work(thread, i) for each i below `count` in several threads. Returns false if the time limit was
    /// reached.
    template <class Work> bool forAll(std::size_t count, const Work& work) const;

    static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

    const ProofGraph& m_graph;
    std::size_t m_mostColumns;
    std::vector<CostModel> m_models; ///< one model for each thread
    std::vector<ProofColumn> m_columns;
    std::function<void()> m_onBound;
    OpMask m_mayBeResident = 0;
    std::vector<std::size_t> m_runs, m_written, m_handedOver;
    /// For each reader, the rows "result reaches this reader", in the order of the bits of its inputs.
    std::vector<std::vector<std::size_t>> m_reaches;
    std::vector<std::vector<std::size_t>> m_delivers; ///< rows "result reaches this reader", by producer
};

} // namespace tilewright
