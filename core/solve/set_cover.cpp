// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md has the argument. In short: the ops fall into pieces that are small enough to list
// every connected set in them. A subgraph that reaches over several pieces costs at least what its parts cost
// that lie in one piece each, when tensors that cross between pieces are free on both sides and all parts
// weigh compute against memory alike. So prices that hold for every set of every piece hold for every
// subgraph.
#include "solve/set_cover.h"

#include "solve/cost_model.h"
#include "solve/cover_columns.h"
#include "solve/cover_prices.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <iterator>
#include <limits>

namespace tilewright {

namespace {

double wallClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

enum class Look : std::uint8_t { TooMany, Cut, Whole };

class SetCover
{
public:
    SetCover(const Problem& problem, const Rules& rules, const SetCoverLimits& limits,
             const PieceSizes& sizes, bool sharing)
        : m_problem(problem), m_limits(limits), m_until(wallClock() + limits.seconds),
          m_pieces(cutIntoPieces(problem, rules, sizes)), m_columns(problem, rules, m_pieces, sharing)
    {
    }
    SetCoverBound run();
    /// No subgraph reaches over several pieces, so that cutting finer is of no use.
    [[nodiscard]] bool isWhole() const { return std::ranges::all_of(m_pieces, &Piece::alone); }

private:
    [[nodiscard]] bool outOfTime() const
    {
        return wallClock() > m_until || (m_limits.keepGoing && !m_limits.keepGoing());
    }
    [[nodiscard]] bool addSet(std::uint32_t piece, CoverColumns::OpBits mask)
    {
        return ++m_sets <= m_limits.sets && (m_sets % 64 != 0 || !outOfTime()) &&
               m_columns.addSet(piece, mask);
    }
    [[nodiscard]] SetCoverBound price(std::size_t weight) const;

    const Problem& m_problem;
    const SetCoverLimits& m_limits;
    double m_until;
    std::vector<Piece> m_pieces;
    CoverColumns m_columns;
    std::size_t m_sets = 0;
};

SetCoverBound SetCover::price(std::size_t weight) const
{
    std::vector<CoverColumn> columns;
    for (const CoverColumns::Column& c : m_columns.columns())
        columns.push_back({m_columns.cost(c, weight), &c.achieves, std::popcount(c.ops) <= 2});
    const std::vector<double>& demands = m_columns.demands();
    const CoverPrices prices =
        priceCover(demands, columns, [this] { return outOfTime() ? 0 : m_until - wallClock(); });
    SetCoverBound out;
    if (prices.value <= 0)
        return out;
    out.value = prices.value;
    out.prices.assign(m_problem.opCount(), 0);
    double sum = 0;
    for (std::size_t i = 0; i < demands.size(); ++i)
        sum += prices.prices[i] * demands[i];
    for (std::size_t i = 0; i < demands.size(); ++i)
        out.prices[m_columns.opOfRow()[i].index()] += prices.prices[i] * demands[i] * (out.value / sum);
    for (const auto& [i, share] : prices.shares) {
        const CoverColumns::Column& c = m_columns.columns()[i];
        PricedGroup group;
        group.ops = m_columns.opsOf(c.piece, c.ops);
        std::ranges::sort(group.ops);
        group.least = columns[i].cost;
        group.share = share;
        out.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(out.groups, std::greater<>(),
                             [](const PricedGroup& g) { return g.least * g.share; });
    return out;
}

SetCoverBound SetCover::run()
{
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece)
        if (!forEachConnectedSet(m_problem, m_pieces[piece],
                                 [&](CoverColumns::OpBits set) { return addSet(piece, set); }))
            return {};
    SetCoverBound best;
    const bool crossing = std::ranges::any_of(m_pieces, [](const Piece& p) { return !p.alone; });
    for (std::size_t weight = 0; weight < (crossing ? CostModel::kWeights : 1); ++weight) {
        SetCoverBound bound = price(weight);
        if (bound.value > best.value)
            best = std::move(bound);
    }
    best.sets = m_sets;
    return best;
}

/// About what is looked at in a second.
constexpr double kSetsASecond = 40'000;
constexpr std::array<std::size_t, 12> kMostOps{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20};

/// Connected sets of all pieces; no more than are of interest are counted.
double setsOf(const Problem& problem, const Rules& rules, const PieceSizes& sizes, double most)
{
    double sets = 0;
    for (const Piece& piece : cutIntoPieces(problem, rules, sizes))
        if (!forEachConnectedSet(problem, piece, [&](CoverColumns::OpBits) { return ++sets <= most; }))
            break;
    return sets;
}

/// The best of what several ways to cut say of every component, none of whose subgraphs reaches another one.
class BestOfComponents
{
public:
    BestOfComponents(const Problem& problem, const Rules& rules) : m_componentOf(problem.opCount())
    {
        constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
        m_components = cutIntoPieces(problem, rules, {kAll, kAll, kAll});
        for (std::size_t i = 0; i < m_components.size(); ++i)
            for (const OpId o : m_components[i].ops)
                m_componentOf[o.index()] = i;
        m_values.assign(m_components.size(), 0);
        m_best.prices.assign(problem.opCount(), 0);
    }

    void add(const SetCoverBound& bound)
    {
        m_best.sets += bound.sets;
        if (bound.prices.empty())
            return;
        for (std::size_t i = 0; i < m_components.size(); ++i) {
            double value = 0;
            for (const OpId o : m_components[i].ops)
                value += bound.prices[o.index()];
            if (value <= m_values[i])
                continue;
            m_values[i] = value;
            for (const OpId o : m_components[i].ops)
                m_best.prices[o.index()] = bound.prices[o.index()];
            const auto isOf = [&](const PricedGroup& g) { return m_componentOf[g.ops[0].index()] == i; };
            std::erase_if(m_best.groups, isOf);
            std::ranges::copy_if(bound.groups, std::back_inserter(m_best.groups), isOf);
        }
    }

    [[nodiscard]] SetCoverBound take()
    {
        for (const double value : m_values)
            m_best.value += value;
        m_best.value *= 1 - 1e-12; // of the sums
        std::ranges::stable_sort(m_best.groups, std::greater<>(),
                                 [](const PricedGroup& g) { return g.least * g.share; });
        return std::move(m_best);
    }

private:
    std::vector<Piece> m_components;
    std::vector<std::size_t> m_componentOf; ///< by op
    std::vector<double> m_values;
    SetCoverBound m_best;
};

} // namespace

SetCoverBound setCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (problem.opCount() == 0 || !CostModel::supports(rules))
        return {};
    const double until = wallClock() + limits.seconds;
    BestOfComponents best(problem, rules);
    const auto look = [&](double share, const PieceSizes& sizes) {
        bool whole = true;
        for (const bool sharing : {false, true}) {
            SetCoverLimits part = limits;
            part.seconds = share * (until - wallClock());
            SetCover cover(problem, rules, part, sizes, sharing);
            const SetCoverBound bound = cover.run();
            best.add(bound);
            if (bound.sets == 0)
                return Look::TooMany;
            whole = cover.isWhole();
            if (whole)
                break;
        }
        return whole ? Look::Whole : Look::Cut;
    };
    if (limits.pieces) {
        (void)look(1, *limits.pieces);
        return best.take();
    }
    const auto isAffordable = [&](const PieceSizes& sizes) {
        const double sets =
            std::min(static_cast<double>(limits.sets), kSetsASecond * std::max(0.0, until - wallClock()));
        return setsOf(problem, rules, sizes, sets) <= sets;
    };
    // Larger pieces often say more, but where they are cut decides as well: all that there is time for.
    if (const PieceSizes largest; isAffordable(largest) && look(0.7, largest) == Look::Whole)
        return best.take();
    constexpr PieceSizes kSingles{.whole = 0, .atom = 8, .most = 1};
    (void)look(0.3, kSingles);
    for (const std::size_t most : kMostOps) {
        const PieceSizes sizes{most, most, std::min(most, PieceSizes{}.most)};
        constexpr double kLeast = 0.02;
        if (until - wallClock() < kLeast * limits.seconds || !isAffordable(sizes) ||
            look(0.7, sizes) == Look::TooMany)
            break;
    }
    return best.take();
}

} // namespace tilewright
