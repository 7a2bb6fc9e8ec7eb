// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/cost/slack.h"
#include "solve/proof/master_rows.h"
#include "solve/proof/set_cover.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// Dual prices of a master problem, found by column generation.
///
/// The master problem is the linear relaxation "choose columns x >= 0 of least total cost that achieve what
/// each row demands". Prices at which no column has a negative reduced cost (cost less the prices of what it
/// achieves) add up, times the demands, to a lower bound on every solution (weak duality).
///
/// Only active columns are in the linear program: those that some earlier prices exceeded. Its prices jump
/// from round to round, so each round looks at prices between them and the best valid ones. Columns that
/// these exceed are activated, and the prices are lowered until they hold for all columns: every round ends
/// with a bound.
///
/// A derived class owns the columns and says what each costs and achieves. Costs are asked for only through
/// cost() and reducedCost(), rows are data: another cost or other rows need no change here.
class DualPricer
{
public:
    using Prices = std::vector<double>; ///< by row
    using Entry = IncrementalLp::Entry; ///< how much of a row a column achieves
    struct Settings
    {
        std::size_t threads = 1;
        std::size_t activatedPerRound = 1000; ///< columns, those with the least reduced cost first
        double converged = 1e-8; ///< relative distance to the master's value that is close enough
        /// An upper bound: prices need not be improved when they reach it, or nearly as much of the way to it
        /// as they can.
        double goal = std::numeric_limits<double>::infinity();
        std::function<double()> secondsLeft; ///< asked often, by the calling thread
    };

    DualPricer(const DualPricer&) = delete;
    DualPricer& operator=(const DualPricer&) = delete;
    virtual ~DualPricer() = default;

    /// Rounds of column generation until the time is up, the prices are the best or the goal is near.
    void improve();
    /// No solution costs less.
    [[nodiscard]] double value() const noexcept { return m_value; }
    /// The best prices so far; they hold for every column.
    [[nodiscard]] const Prices& prices() const noexcept { return m_prices; }
    [[nodiscard]] const MasterRows& rows() const noexcept { return m_rows; }
    /// Demands times prices.
    [[nodiscard]] double valueOf(const Prices& prices) const;
    /// Lowers these prices until they hold for every column, and takes them over if they say more.
    void adoptLowered(const Prices& prices) { adopt(lowered(prices, overpriced(prices))); }
    /// A bound broken down: its prices by op, and the columns that the last solution of the master problem
    /// uses.
    [[nodiscard]] SetCoverBound describe(double value, const Prices& prices) const;

protected:
    struct Overpriced
    {
        std::size_t column;
        double by; ///< how far prices exceed the cost
    };
    using OverpricedList = std::vector<Overpriced>; ///< the worst first
    static constexpr std::uint32_t kInactive = std::numeric_limits<std::uint32_t>::max();
    static constexpr double kTolerance = 1e-10; ///< of its cost: less does not count as overpriced
    static constexpr double kLeastShare = 1e-6; ///< of a column in a solution: less is rounding

    DualPricer(const Problem& problem, MasterRows rows, Settings settings);

    [[nodiscard]] virtual std::size_t columnCount() const = 0;
    [[nodiscard]] virtual double cost(std::size_t column) const = 0;
    /// Each row once.
    [[nodiscard]] virtual std::vector<Entry> entries(std::size_t column) const = 0;
    [[nodiscard]] virtual Slack reducedCost(std::size_t column, const Prices& prices) const = 0;
    /// Whether the linear program has the column.
    [[nodiscard]] virtual bool isActive(std::size_t column) const = 0;
    /// Costs these columns more closely, and adds those to the program that the prices still exceed.
    virtual void activate(const OverpricedList& columns, const Prices& prices) = 0;
    /// Called with all reduced costs when better prices have been taken over.
    virtual void adopted(const std::vector<double>&) {}

    /// Adds a column to the linear program and returns its number there.
    [[nodiscard]] std::uint32_t addToProgram(double cost, std::span<const Entry> entries,
                                             std::vector<OpId> ops);
    /// Lowers the best prices so far until they hold for columns that were added, too.
    void revalidate();
    /// Of what is overpriced the columns that a round activates.
    [[nodiscard]] OverpricedList toActivate(const OverpricedList& found) const;
    /// Takes a margin for rounding off the prices. Nothing unless they then hold for all columns, else the
    /// reduced costs.
    [[nodiscard]] std::optional<std::vector<double>> takeMargin(Prices& prices) const;
    /// Another cost of a column of the linear program; infinite: it is no longer to be used.
    void setProgramCost(std::uint32_t number, double cost);
    /// Whether the last solution of the master problem uses that column of the linear program.
    [[nodiscard]] bool isInSolution(std::uint32_t number) const
    {
        return number < m_shares.size() && m_shares[number] > kLeastShare;
    }
    /// Costs are divided by it in the linear program; to be set before the first column is added.
    void setUnit(double unit) { m_unit = unit; }
    [[nodiscard]] OverpricedList overpriced(const Prices& prices) const;
    /// Lowers the prices of what a column achieves until they do not exceed its cost. Where that is enough,
    /// or with `onlyDemanded`, only in rows with a demand: no column has a negative amount of these, so no
    /// other one becomes overpriced. Returns whether that was enough.
    bool lower(std::size_t column, Prices& prices, bool onlyDemanded = false) const;
    [[nodiscard]] const Settings& settings() const noexcept { return m_settings; }

private:
    /// Calls work(thread, column) for all columns, in threads; does not stop before the end.
    template <class Work> void forAllColumns(const Work& work) const;
    [[nodiscard]] Prices lowered(Prices prices, OverpricedList found) const;
    /// Takes prices over that say more than those so far, if they hold for every column.
    void adopt(Prices prices);
    /// Whether no further round is worth while; `most`: the master's value, which no prices exceed.
    [[nodiscard]] bool isEnough(double most) const;
    [[nodiscard]] bool isDemanded(std::size_t row) const { return m_rows.demands()[row] > 0; }

    const Problem& m_problem;
    MasterRows m_rows;
    Settings m_settings;
    double m_unit = 1;
    IncrementalLp m_program;
    Prices m_prices;
    double m_value = 0;
    // by column of the program
    std::vector<double> m_costs, m_solvedCosts; ///< now; when the shares were found
    std::vector<std::vector<OpId>> m_ops;
    std::vector<double> m_shares;
};

} // namespace tilewright
