// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/cost/cost_model.h"
#include "solve/cost/slack.h"
#include "solve/proof/prove_graph.h"
#include "solve/proof/prove_threads.h"
#include "solve/proof/set_cover.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// A set of ops that may be one subgraph, with what has been decided about what is in fast memory before it
/// and after it. What is not decided is free.
struct ProofColumn
{
    ProofMask ops = 0;
    ProofMask stayIn = 0, openIn = 0;   ///< of the results that it reads: is there before it; may be
    ProofMask stayOut = 0, openOut = 0; ///< of its own: stays behind it; may stay
    double least = 0;                   ///< latency at least
    double reduced = 0;                 ///< what `least` is above the prices of what it achieves
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t program = kNone; ///< its column of the linear program, once prices were above it
    bool sharp = false;            ///< CostModel::leastByDepth() is in `least`
    bool exact = false;            ///< `least` is the latency of the best tiling with a preset traversal
    bool counts = false;           ///< part of the cheapest cover
    [[nodiscard]] bool decided() const noexcept { return (openIn | openOut) == 0; }
};

/// The columns that may be part of a schedule with a latency below a given one, and prices that none of them
/// exceeds (docs/rules/bound.md 2 and 7).
class ProofColumns
{
public:
    struct Limits
    {
        std::size_t columns = 0;
        std::size_t threads = 1;
        std::function<double()> secondsLeft; ///< asked often, by the calling thread
    };

    ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound, Limits limits);
    /// Every op set that can be a subgraph. False when there are too many, or too little time for them.
    [[nodiscard]] bool list(const Rules& rules);
    /// Better prices as long as there are some, and strikes out all columns that are too expensive by them.
    /// What is open is decided where the prices turn on it. False without prices that hold.
    bool price();
    /// Decides all that is open. False when that gives too many columns.
    [[nodiscard]] bool decideAll();
    /// Takes over what is known better of some columns: visit(column) may raise `least`, or to infinity.
    void raise(const std::vector<std::size_t>& which, const std::function<void(ProofColumn&)>& visit);
    /// Columns that are part of the cheapest cover and not exact, then those that the prices leave least.
    [[nodiscard]] std::vector<std::size_t> inexact(std::size_t most) const;

    [[nodiscard]] const std::vector<ProofColumn>& columns() const noexcept { return m_columns; }
    /// No schedule that is better than the upper bound takes less.
    [[nodiscard]] double bound() const noexcept { return m_bound; }
    [[nodiscard]] double upperBound() const noexcept { return m_upper; }
    /// What the bound is made of: the prices by op, and the groups of the program's cheapest cover.
    [[nodiscard]] SetCoverBound cover() const;
    /// Is called when bound() has become higher.
    void onBound(std::function<void()> told) { m_told = std::move(told); }
    /// What still has to be paid for at least, by the prices, when these results are in slow memory, and
    /// these in fast memory for the next subgraph.
    [[nodiscard]] double rest(ProofMask slow, ProofMask resident) const;
    /// No tiling of the ops in any order of tiles is faster, between exactly these.
    [[nodiscard]] double leastBetween(ProofMask ops, ProofMask resident, ProofMask retained);

private:
    using Prices = std::vector<double>; ///< by row
    /// The columns that one is when one more thing is decided; fewer where that cannot be or costs too much.
    struct Parts
    {
        std::array<ProofColumn, 2> part;
        std::size_t count = 0;
    };
    struct Overpriced
    {
        std::size_t column;
        double by;
    };
    using OverpricedList = std::vector<Overpriced>;
    /// A column of the cheapest cover, as it was when the program was solved.
    struct Chosen
    {
        ProofMask ops;
        double least;
        double share;
    };

    /// What a column costs, by that model. False when it is none.
    [[nodiscard]] bool complete(ProofColumn& column, CostModel& model, bool sharp = false) const;
    [[nodiscard]] bool isTooExpensive(const ProofColumn& column) const
    {
        return m_bound + column.reduced > m_upper * (1 + kTolerance);
    }
    /// Calls visit(row, amount) for all that a column achieves (docs/rules/bound.md 1), once for a row.
    template <class Visit> void forEachAchieved(const ProofColumn& column, Visit&& visit) const;
    [[nodiscard]] Slack slack(const ProofColumn& column, const Prices& prices) const;
    [[nodiscard]] Parts split(const ProofColumn& column, CostModel& model) const;
    /// What a column is when it is split as far as these prices exceed its parts, and which of them they do;
    /// without prices as far as needed for one part.
    [[nodiscard]] std::vector<ProofColumn> decide(const ProofColumn& column, const Prices& prices,
                                                  CostModel& model) const;
    /// The same for several of the columns, which count from now on.
    void let(std::span<const Overpriced> count, const Prices& prices);
    /// The worst first; none when there was no time to look.
    [[nodiscard]] std::optional<OverpricedList> overpriced(const Prices& prices) const;
    /// Prices that are lower where columns are overpriced, until none is.
    [[nodiscard]] Prices repaired(Prices prices, const OverpricedList& found) const;
    [[nodiscard]] double valueOf(const Prices& prices) const;
    /// Takes prices over that are better than those so far, if they hold for all columns.
    void adopt(Prices prices);
    void choose(const std::vector<double>& shares);
    void addToProgram(ProofColumn& column);
    void retire(ProofColumn& column);
    void sharpen(std::size_t column, CostModel& model);
    void strike();
    template <class Work> bool forAll(std::size_t count, const Work& work) const;

    static constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();
    static constexpr double kTolerance = 1e-9;
    static constexpr double kOverpriced = 1e-10; ///< of a column's latency: what is then taken off all prices
    static constexpr double kOutOfReach = 1e3;   ///< upper bounds: what a struck column costs

    const ProofGraph& m_graph;
    double m_upper;
    Limits m_limits;
    std::vector<CostModel> m_models; ///< by thread
    std::vector<ProofColumn> m_columns;
    double m_bound = 0;
    bool m_priced = false;
    std::function<void()> m_told;
    // rows
    std::vector<double> m_demands;
    std::vector<std::size_t> m_runs, m_written, m_handed; ///< by op
    std::vector<std::vector<std::size_t>> m_reaches;      ///< by reader, in the order of its inputs' bits
    std::vector<std::vector<std::size_t>> m_given;        ///< the same by producer
    Prices m_prices;
    std::unique_ptr<GrowingProgram> m_program;
    std::vector<Chosen> m_chosen;
};

template <class Work> bool ProofColumns::forAll(std::size_t count, const Work& work) const
{
    return forAllInThreads(
        m_models.size(), count, [this](std::size_t) { return m_limits.secondsLeft() > 0; }, work);
}

template <class Visit> void ProofColumns::forEachAchieved(const ProofColumn& c, Visit&& visit) const
{
    const ProofMask exposed = m_graph.sinksOf(c.ops) & ~c.stayOut;
    const ProofMask there = c.ops | c.stayIn | c.openIn;
    forEachBit(c.ops, [&](std::size_t i) {
        visit(m_runs[i], 1.0);
        // What ops outside read of it gets to them; what is read inside does in any case.
        if ((exposed & ProofGraph::bit(i)) != 0) {
            if (m_written[i] != kNoRow)
                visit(m_written[i], 1.0);
            for (const std::size_t row : m_given[i])
                visit(row, 1.0);
        }
        if (m_handed[i] != kNoRow && ((c.stayOut | c.openOut) & ProofGraph::bit(i)) != 0)
            visit(m_handed[i], 1.0);
        std::size_t at = 0;
        forEachBit(m_graph.inputs[i], [&](std::size_t input) {
            const std::size_t row = m_reaches[i][at++];
            if ((there & ProofGraph::bit(input)) != 0)
                visit(row, 1.0);
        });
    });
    forEachBit(c.stayIn, [&](std::size_t i) {
        if (m_handed[i] != kNoRow)
            visit(m_handed[i], -1.0);
    });
}

} // namespace tilewright
