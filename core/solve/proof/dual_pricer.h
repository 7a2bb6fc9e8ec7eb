// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of a master problem over subgraphs, and the pricing loop that finds their dual prices.
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/cost/slack.h"
#include "solve/proof/set_cover.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// Rows of a master problem whose columns are subgraphs (docs/rules/bound.md 1). They require that every op
/// runs, that every result reaches each of its readers, that results are written to slow memory, and that
/// every tensor read from fast memory was retained by another subgraph. The set-cover bound and branch and
/// bound use these rows.
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
    /// For each row, the ops that it concerns: those that must run, or whose results must be written or
    /// delivered.
    [[nodiscard]] const std::vector<std::vector<OpId>>& opsOfRow() const noexcept { return m_rowOps; }

    /// Returns the row "this op runs". The rows must cover the op.
    [[nodiscard]] Row runs(OpId o) const { return m_runs[o.index()]; }
    /// Returns the row "this tensor is written to slow memory"; nothing if no row requires it.
    [[nodiscard]] std::optional<Row> written(TensorId t) const { return m_written[t.index()]; }
    /// Returns the row "a subgraph that reads this tensor from fast memory follows one that retains it";
    /// nothing if the tensor cannot be retained.
    [[nodiscard]] std::optional<Row> handedOver(TensorId t) const { return m_handedOver[t.index()]; }
    /// Returns the row "this tensor reaches this reader"; nothing if no covered op produces the tensor.
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
    /// Rows "this tensor reaches this reader"; the key combines tensor and reader.
    std::unordered_map<std::uint64_t, Row> m_reaches;
};

/// Finds dual prices of a master problem by column generation. The master problem is the linear relaxation
/// "choose columns x >= 0 of least total cost that satisfy the demand of each row". If no column has a
/// negative reduced cost (cost minus the dual prices of its rows), the sum of demands times prices is a lower
/// bound on every solution (weak duality). The linear program contains only active columns, i.e. those that
/// were overpriced in an earlier round. Its dual prices oscillate, so each round prices with a mean of them
/// and the best valid prices (smoothing). Overpriced columns are activated. Then the prices are lowered until
/// no column is overpriced, so every round ends with a valid bound. A derived class owns the columns with
/// their costs and coefficients. Costs are read only through cost() and reducedCost(), and rows are data, so
/// other costs or rows need no change here.
class DualPricer
{
public:
    using Prices = std::vector<double>; ///< dual price of each row
    using Entry = IncrementalLp::Entry; ///< coefficient of a column in a row
    struct Settings
    {
        std::size_t threads = 1;
        /// Maximum number of columns activated in a round, those with the least reduced cost first.
        std::size_t activatedPerRound = 1000;
        /// Relative distance to the master problem's value at which improve() stops.
        double converged = 1e-8;
        /// Upper bound on values that are useful to the caller: improve() stops when the value reaches the
        /// goal, or when the possible further gain is small compared with the distance to the goal.
        double goal = std::numeric_limits<double>::infinity();
        /// Callback that returns the remaining time in seconds; the calling thread calls it often.
        std::function<double()> secondsLeft;
    };

    DualPricer(const DualPricer&) = delete;
    DualPricer& operator=(const DualPricer&) = delete;
    virtual ~DualPricer() = default;

    /// Runs rounds of column generation until the time limit, until the prices are optimal, or until
    /// Settings::goal is reached.
    void improve();
    /// The best lower bound so far.
    [[nodiscard]] double value() const noexcept { return m_value; }
    /// The best prices so far; no column has a negative reduced cost under them.
    [[nodiscard]] const Prices& prices() const noexcept { return m_prices; }
    [[nodiscard]] const MasterRows& rows() const noexcept { return m_rows; }
    /// Returns the sum of demands times prices.
    [[nodiscard]] double valueOf(const Prices& prices) const;
    /// Lowers these prices until they are valid for every column, and adopts them if their value is higher.
    void adoptLowered(const Prices& prices) { adopt(lowered(prices, overpriced(prices))); }
    /// Returns the bound with its details: the prices by op, and the columns in the last solution of the
    /// master problem.
    [[nodiscard]] SetCoverBound describe(double value, const Prices& prices) const;

protected:
    struct Overpriced
    {
        std::size_t column;
        double by; ///< amount by which the prices of the column's rows exceed its cost
    };
    using OverpricedList = std::vector<Overpriced>; ///< the most overpriced column first
    static constexpr std::uint32_t kInactive = std::numeric_limits<std::uint32_t>::max();
    /// Overpricing below this share of a column's cost is ignored.
    static constexpr double kTolerance = 1e-10;
    /// Minimum value of a column's variable in a solution; smaller values are rounding errors.
    static constexpr double kLeastShare = 1e-6;

    DualPricer(const Problem& problem, MasterRows rows, Settings settings);

    [[nodiscard]] virtual std::size_t columnCount() const = 0;
    [[nodiscard]] virtual double cost(std::size_t column) const = 0;
    /// Coefficients of a column; each row appears once.
    [[nodiscard]] virtual std::vector<Entry> entries(std::size_t column) const = 0;
    [[nodiscard]] virtual Slack reducedCost(std::size_t column, const Prices& prices) const = 0;
    /// True if the column is in the linear program.
    [[nodiscard]] virtual bool isActive(std::size_t column) const = 0;
    /// Tightens the costs of these columns, and adds those that are still overpriced to the linear program.
    virtual void activate(const OverpricedList& columns, const Prices& prices) = 0;
    /// Called with the reduced costs of all columns after better prices were adopted.
    virtual void adopted(const std::vector<double>&) {}

    /// Adds a column to the linear program and returns its index there.
    [[nodiscard]] std::uint32_t addToProgram(double cost, std::span<const Entry> entries,
                                             std::vector<OpId> ops);
    /// Lowers the best prices until they are valid for newly added columns as well.
    void revalidate();
    /// Returns the overpriced columns that a round activates.
    [[nodiscard]] OverpricedList toActivate(const OverpricedList& found) const;
    /// Reduces the prices by a safety margin for rounding. Returns all reduced costs, or nothing if the
    /// prices are not valid for all columns.
    [[nodiscard]] std::optional<std::vector<double>> applySafetyMargin(Prices& prices) const;
    /// Changes the cost of a column of the linear program; an infinite cost disables the column.
    void setProgramCost(std::uint32_t number, double cost);
    /// True if the last solution of the master problem uses this column of the linear program.
    [[nodiscard]] bool isInSolution(std::uint32_t number) const
    {
        return number < m_shares.size() && m_shares[number] > kLeastShare;
    }
    /// Sets the divisor for costs in the linear program. It has to be set before the first column is added.
    void setUnit(double unit) { m_unit = unit; }
    [[nodiscard]] OverpricedList overpriced(const Prices& prices) const;
    /// Lowers the prices of the column's rows until they no longer exceed its cost. Lowers first the prices
    /// of rows in which no column has a negative coefficient (isDemanded()), so that no other column becomes
    /// overpriced. If `onlyDemanded` is true, lowers no other prices. Returns true if these rows were enough.
    bool lower(std::size_t column, Prices& prices, bool onlyDemanded = false) const;
    [[nodiscard]] const Settings& settings() const noexcept { return m_settings; }

private:
    /// Calls work(thread, column) for all columns in several threads. The calls cannot be interrupted.
    template <class Work> void forAllColumns(const Work& work) const;
    [[nodiscard]] Prices lowered(Prices prices, OverpricedList found) const;
    /// Adopts these prices if they are valid for every column and their value is higher than that of the
    /// present prices.
    void adopt(Prices prices);
    /// True if another round is not worthwhile. `most` is the master problem's value, an upper bound on the
    /// value of all valid prices.
    [[nodiscard]] bool isConverged(double most) const;
    [[nodiscard]] bool isDemanded(std::size_t row) const { return m_rows.demands()[row] > 0; }

    const Problem& m_problem;
    MasterRows m_rows;
    Settings m_settings;
    double m_unit = 1;
    IncrementalLp m_program;
    Prices m_prices;
    double m_value = 0;
    /// For each column of the linear program: its current cost, and its cost when the program was last
    /// solved.
    std::vector<double> m_costs, m_solvedCosts;
    std::vector<std::vector<OpId>> m_ops;
    std::vector<double> m_shares;
};

} // namespace tilewright
