// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md has the argument. In short: the ops fall into pieces that are small enough to list
// every connected set in them. A subgraph that reaches over several pieces costs at least what its parts cost
// that lie in one piece each, when tensors that cross between pieces are free on both sides and all parts
// weigh compute against memory alike. So prices that hold for every set of every piece hold for every
// subgraph.
#include "solve/set_cover.h"

#include "solve/connected_sets.h"
#include "solve/cost_model.h"
#include "solve/cover_columns.h"
#include "solve/cover_prices.h"
#include "solve/grown_cover.h"
#include "solve/prove_threads.h"

#include <algorithm>
#include <array>
#include <atomic>
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
        : m_problem(problem), m_rules(rules), m_limits(limits), m_until(wallClock() + limits.seconds),
          m_pieces(cutIntoPieces(problem, rules, sizes)), m_threads(threadsFor(limits.threads)),
          m_cover(problem, rules, m_pieces, sharing, m_threads)
    {
    }
    /// The best bound from this weight of compute on and up or down as long as it grows; which one says most
    /// is left in `weight`. `near`: prices of rows that may be near; the best ones are left there.
    SetCoverBound run(std::size_t& weight, std::vector<double>& near);
    /// No subgraph reaches over several pieces, so that cutting finer is of no use.
    [[nodiscard]] bool isWhole() const { return std::ranges::all_of(m_pieces, &Piece::alone); }

private:
    [[nodiscard]] bool outOfTime() const
    {
        return wallClock() > m_until || (m_limits.keepGoing && !m_limits.keepGoing());
    }
    [[nodiscard]] bool list();
    [[nodiscard]] SetCoverBound price(std::size_t weight, std::vector<double>& near);

    const Problem& m_problem;
    const Rules& m_rules;
    const SetCoverLimits& m_limits;
    double m_until;
    std::vector<Piece> m_pieces;
    std::size_t m_threads;
    CoverColumns m_cover;
    std::vector<CoverColumns::Column> m_columns;
    std::size_t m_sets = 0;
};

SetCoverBound SetCover::price(std::size_t weight, std::vector<double>& near)
{
    const std::function<double()> left = [this] { return outOfTime() ? 0 : m_until - wallClock(); };
    CoverPricer pricer(m_cover, m_columns, weight, m_threads, left);
    pricer.improve(near);
    const CoverPrices prices = pricer.best();
    if (prices.value <= 0)
        return {};
    near = prices.prices;
    return pricer.describe(m_problem, prices);
}

/// What every connected set of every piece costs. False when there are too many.
bool SetCover::list()
{
    struct Set
    {
        std::uint32_t piece;
        CoverColumns::OpBits ops;
    };
    std::vector<Set> sets;
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece)
        if (!forEachConnectedSet(m_problem, m_rules, m_pieces[piece], [&](CoverColumns::OpBits set) {
                sets.push_back({piece, set});
                return sets.size() <= m_limits.sets;
            }))
            return false;
    m_sets = sets.size();
    std::vector<std::vector<CoverColumns::Column>> columns(sets.size());
    std::atomic<bool> known = true;
    if (!forAllInThreads(
            m_threads, sets.size(), [&](std::size_t) { return !outOfTime() && known; },
            [&](std::size_t thread, std::size_t i) {
                if (auto found = m_cover.columnsOf(sets[i].piece, sets[i].ops, thread))
                    columns[i] = std::move(*found);
                else
                    known = false;
            }) ||
        !known)
        return false;
    for (auto& found : columns)
        std::ranges::move(found, std::back_inserter(m_columns));
    return true;
}

SetCoverBound SetCover::run(std::size_t& weight, std::vector<double>& near)
{
    if (!list())
        return {};
    const double started = wallClock();
    SetCoverBound best = price(weight, near);
    // What all columns weigh alike is concave in the weight. It is much the same as in smaller pieces, so it
    // is not worth much time.
    constexpr double kTimes = 10;
    const bool crossing = kTimes * (wallClock() - started) < m_until - wallClock() &&
                          std::ranges::any_of(m_pieces, [](const Piece& p) { return !p.alone; });
    const auto climb = [&](bool up) {
        const std::size_t from = weight;
        while (crossing && weight != (up ? CostModel::kWeights - 1 : 0)) {
            std::vector<double> prices = near;
            SetCoverBound next = price(up ? weight + 1 : weight - 1, prices);
            if (next.value <= best.value)
                break;
            best = std::move(next);
            near = std::move(prices);
            weight += up ? 1 : -1;
        }
        return weight != from;
    };
    if (!climb(true))
        (void)climb(false);
    best.sets = m_sets;
    near.resize(std::min(near.size(), m_cover.ownRows()));
    return best;
}

/// About what is looked at in a second.
constexpr double kSetsASecond = 100'000;
constexpr double kGrownShare = 0.9; ///< of the time, for the ops uncut
constexpr std::array<std::size_t, 9> kMostOps{3, 6, 20, 10, 14, 8, 28, 40, 64};

/// Connected sets of all pieces; no more than are of interest are counted.
double setsOf(const Problem& problem, const Rules& rules, const PieceSizes& sizes, double most)
{
    double sets = 0;
    for (const Piece& piece : cutIntoPieces(problem, rules, sizes))
        if (!forEachConnectedSet(problem, rules, piece, [&](CoverColumns::OpBits) { return ++sets <= most; }))
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
    std::size_t weight = 0;
    std::vector<double> near;
    std::optional<bool> shares; // once it is known what says more
    const auto look = [&](double share, const PieceSizes& sizes) {
        std::array<double, 2> values{};
        for (const bool sharing : {false, true}) {
            if (shares.value_or(sharing) != sharing)
                continue;
            SetCoverLimits part = limits;
            part.seconds = share * (until - wallClock());
            SetCover cover(problem, rules, part, sizes, sharing);
            const SetCoverBound bound = cover.run(weight, near);
            best.add(bound);
            if (bound.sets == 0)
                return Look::TooMany;
            if (cover.isWhole())
                return Look::Whole;
            values[sharing ? 1 : 0] = bound.value;
        }
        if (sizes.most > 1 && !shares)
            shares = values[1] > values[0];
        return Look::Cut;
    };
    if (limits.pieces) {
        (void)look(1, *limits.pieces);
        return best.take();
    }
    SetCoverLimits grown = limits;
    grown.seconds = (limits.uncut ? 1 : kGrownShare) * (until - wallClock());
    const SetCoverBound uncut = grownCoverBound(problem, rules, grown);
    best.add(uncut);
    if (limits.uncut || uncut.value > 0) { // what is cut says less
        SetCoverBound out = best.take();
        out.best = uncut.best;
        return out;
    }
    const auto isAffordable = [&](const PieceSizes& sizes) {
        const double sets =
            std::min(static_cast<double>(limits.sets), kSetsASecond * std::max(0.0, until - wallClock()));
        return setsOf(problem, rules, sizes, sets) <= sets;
    };
    const PieceSizes largest;
    if (std::ranges::all_of(cutIntoPieces(problem, rules, largest), &Piece::alone) && isAffordable(largest) &&
        look(0.9, largest) == Look::Whole)
        return best.take();
    // Larger pieces often say more, but where they are cut decides as well: all that there is time for.
    constexpr PieceSizes kSingles{.whole = 0, .atom = 8, .most = 1};
    (void)look(0.3, kSingles);
    for (const std::size_t most : kMostOps) {
        const PieceSizes sizes{most, most, most};
        constexpr double kLeast = 0.02;
        if (until - wallClock() < kLeast * limits.seconds)
            break;
        if (isAffordable(sizes) && look(0.9, sizes) == Look::Whole)
            break;
    }
    return best.take();
}

} // namespace tilewright
