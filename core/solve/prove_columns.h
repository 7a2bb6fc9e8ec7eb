// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost_model.h"
#include "solve/cover_prices.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace tilewright {

/// Bit i: op i of the topological order, or its output.
using ProofMask = std::uint64_t;

/// What a proof asks of a problem of at most 64 ops, as masks.
struct ProofGraph
{
    ProofGraph(const Problem& problem, const Rules& rules);

    static constexpr std::size_t kMostOps = 64;
    [[nodiscard]] static constexpr ProofMask bit(std::size_t i) { return ProofMask{1} << i; }
    [[nodiscard]] std::size_t size() const noexcept { return ops.size(); }
    [[nodiscard]] TensorId output(std::size_t i) const { return problem.op(ops[i]).output; }
    [[nodiscard]] std::vector<OpId> opsOf(ProofMask mask) const;
    [[nodiscard]] std::vector<TensorId> outputsOf(ProofMask mask) const;
    [[nodiscard]] std::int64_t elementsOf(ProofMask mask) const;
    [[nodiscard]] ProofMask neededBy(ProofMask set) const; ///< boundary inputs that some op makes (R3.1)
    [[nodiscard]] ProofMask basesOf(ProofMask set) const;
    [[nodiscard]] ProofMask sinksOf(ProofMask set) const;

    const Problem& problem;
    std::vector<OpId> ops;          ///< topological order
    std::vector<ProofMask> inputs;  ///< by op: the ops whose results it reads
    std::vector<ProofMask> readers; ///< by op: the ops that read its result
    std::vector<ProofMask> bases;   ///< by op: in slow memory before it (R1.7)
    std::vector<ProofMask> never;   ///< by op: readers that never run together with it
    ProofMask outputs = 0;          ///< of the graph
    ProofMask written = 0;          ///< to be in slow memory some time: these, and bases
    ProofMask mayStay = 0;          ///< results that fit in fast memory
};

/// A set of ops that may be one subgraph, with what has been decided about what is in fast memory before it
/// and after it. What is not decided is free.
struct ProofColumn
{
    ProofMask ops = 0;
    ProofMask stayIn = 0, openIn = 0;   ///< of the results that it reads: is there before it; may be
    ProofMask stayOut = 0, openOut = 0; ///< of its own: stays behind it; may stay
    double least = 0;                   ///< latency at least
    bool exact = false;                 ///< that is the latency of the best tiling with a preset traversal
    bool counts = false;                ///< has been overpriced by earlier prices
    std::vector<Achieved> achieves;
    double reduced = 0; ///< what `least` is above the prices of what it achieves
    [[nodiscard]] bool decided() const noexcept { return (openIn | openOut) == 0; }
};

/// The columns that may be part of a schedule with a latency below a given one, and prices that none of them
/// exceeds (docs/rules/bound.md 2 and 7).
class ProofColumns
{
public:
    struct Limits
    {
        std::size_t columns = 400'000;
        std::function<bool()> keepGoing;
    };

    ProofColumns(const ProofGraph& graph, const Rules& rules, double upperBound, Limits limits);
    /// Every op set that can be a subgraph. False when there are too many.
    [[nodiscard]] bool list(const Rules& rules);
    /// The best prices, and strikes out all columns that are too expensive by them. What is open is decided
    /// where the prices turn on it. False when there was no time for prices that hold.
    bool price(const std::function<double()>& secondsLeft);
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
    /// What still has to be paid for at least, by the prices, when these results are in slow memory, and
    /// these in fast memory for the next subgraph.
    [[nodiscard]] double rest(ProofMask slow, ProofMask resident) const;
    /// No tiling of the ops in any order of tiles is faster, between exactly these.
    [[nodiscard]] double leastBetween(ProofMask ops, ProofMask resident, ProofMask retained);

private:
    [[nodiscard]] bool complete(ProofColumn& column);
    [[nodiscard]] bool isTooExpensive(const ProofColumn& column) const
    {
        return m_bound + column.reduced > m_upper * (1 + kTolerance);
    }
    void reduce(ProofColumn& column) const;
    /// What prices leave of the latency, and what rounding may have done to it.
    struct Slack
    {
        double value, error;
    };
    [[nodiscard]] static Slack slack(const ProofColumn& column, const std::vector<double>& prices);
    /// Lets columns count that these prices exceed, the worst first, as far as they are decided. False when
    /// there is none.
    [[nodiscard]] bool addOverpriced(const std::vector<double>& prices);
    void decide(std::size_t column, const std::vector<double>& prices);
    [[nodiscard]] bool adopt(const CoverPrices& prices);
    /// The two columns that `column` is when one more is decided; fewer when one cannot be or costs too much.
    void split(const ProofColumn& column, std::vector<ProofColumn>& out);
    void strike();

    static constexpr double kTolerance = 1e-9;

    const ProofGraph& m_graph;
    CostModel m_model;
    double m_upper;
    Limits m_limits;
    std::vector<ProofColumn> m_columns;
    std::vector<std::size_t> m_support; ///< columns that are part of the cheapest cover
    double m_bound = 0;
    bool m_priced = false;
    // rows
    std::vector<double> m_demands;
    std::vector<std::size_t> m_runs, m_written, m_handed; ///< by op
    std::vector<std::vector<std::size_t>> m_reaches;      ///< by reader, in the order of its inputs' bits
    std::vector<double> m_prices;
};

} // namespace tilewright
