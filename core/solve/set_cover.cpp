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
constexpr std::array<std::size_t, 7> kMostOps{24, 20, 17, 14, 12, 10, 8};

/// Connected sets of all pieces; no more than are of interest are counted.
double setsOf(const Problem& problem, const Rules& rules, const PieceSizes& sizes, double most)
{
    double sets = 0;
    for (const Piece& piece : cutIntoPieces(problem, rules, sizes))
        if (!forEachConnectedSet(problem, piece, [&](CoverColumns::OpBits) { return ++sets <= most; }))
            break;
    return sets;
}

} // namespace

SetCoverBound setCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (problem.opCount() == 0 || !CostModel::supports(rules))
        return {};
    const double started = wallClock();
    SetCoverBound best;
    std::size_t sets = 0;
    const auto look = [&](double share, const PieceSizes& sizes, bool sharing) {
        SetCoverLimits part = limits;
        part.seconds = share * (limits.seconds - (wallClock() - started));
        SetCover cover(problem, rules, part, sizes, sharing);
        SetCoverBound bound = cover.run();
        sets += bound.sets;
        const bool listed = bound.sets > 0;
        if (bound.value > best.value)
            best = std::move(bound);
        return listed && cover.isWhole() ? Look::Whole : listed ? Look::Cut : Look::TooMany;
    };
    if (limits.pieces) {
        (void)look(1, *limits.pieces, false);
        (void)look(1, *limits.pieces, true);
        best.sets = sets;
        return best;
    }
    // Large pieces say most; where they have too many sets, smaller ones.
    const double affordable = std::min(static_cast<double>(limits.sets), kSetsASecond * limits.seconds);
    PieceSizes sizes;
    Look found = Look::TooMany;
    for (const std::size_t most : kMostOps) {
        sizes = {std::min(sizes.whole, most), std::min(sizes.atom, most), std::min(sizes.most, most)};
        if (setsOf(problem, rules, sizes, affordable) <= affordable)
            found = look(0.5, sizes, false);
        if (found != Look::TooMany)
            break;
    }
    if (found != Look::Whole) {
        (void)look(0.6, sizes, true);
        (void)look(1, {.whole = 0, .atom = 8, .most = 1}, true);
    }
    best.sets = sets;
    return best;
}

} // namespace tilewright
