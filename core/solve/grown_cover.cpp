// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/grown_cover.h"

#include "solve/cover_columns.h"
#include "solve/cover_prices.h"
#include "solve/prove_threads.h"
#include "solve/set_frontier.h"
#include "solve/set_pricing.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <iterator>
#include <memory>

namespace tilewright {

namespace {

constexpr std::size_t kListed = 3000; ///< sets of a component that are looked at from the start
constexpr FrontierGraph::Limits kArcs{.arcs = 4'000'000, .toldArcs = 100'000};
constexpr std::size_t kFoundAtOnce = 4000;
// Of the best prices over what is known so far a part is looked at: the smaller, the fewer sets exceed it.
constexpr double kFirstPart = 0.9, kLeastPart = 0.5;
constexpr double kLower = 1.02;      ///< half of what is left to that is taken off where too many do
constexpr double kAlmost = 1 - 1e-3; ///< then all of it
constexpr std::size_t kFew = 500;    ///< so few that more is looked at
constexpr double kFindShare = 0.35; ///< of the time that is left; where that is not enough, less is looked at
constexpr double kBestReached = 1 - 1e-8;

double wallClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class GrownCover
{
public:
    GrownCover(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
        : m_problem(problem), m_rules(rules), m_limits(limits), m_until(wallClock() + limits.seconds),
          m_pieces(cutIntoPieces(problem, rules, {.whole = kMostOps, .atom = 1, .most = kMostOps})),
          m_threads(threadsFor(limits.threads)), m_cover(problem, rules, m_pieces, false, m_threads)
    {
    }
    SetCoverBound run();

private:
    static constexpr std::size_t kMostOps = 64;
    using Set = SetPricing::Set;
    struct Component
    {
        SetPricing::Known known;
        std::unique_ptr<FrontierGraph> graph;
        std::unique_ptr<SetPricing> pricing;
    };
    [[nodiscard]] double secondsLeft() const
    {
        return m_limits.keepGoing && !m_limits.keepGoing() ? 0 : std::max(0.0, m_until - wallClock());
    }
    bool list(std::uint32_t piece);
    bool addColumns(std::uint32_t piece, const std::vector<Set>& sets,
                    std::vector<CoverColumns::Column>& out);
    /// More columns that prices exceed; whether those are all.
    bool find(const std::vector<double>& prices, std::vector<CoverColumns::Column>& out);

    const Problem& m_problem;
    const Rules& m_rules;
    const SetCoverLimits& m_limits;
    double m_until;
    std::vector<Piece> m_pieces;
    std::size_t m_threads;
    CoverColumns m_cover;
    std::vector<CoverColumns::Column> m_columns;
    std::vector<Component> m_components; ///< by piece
    bool m_isKnown = true;               ///< what all sets cost that were asked for
};

bool GrownCover::addColumns(std::uint32_t piece, const std::vector<Set>& sets,
                            std::vector<CoverColumns::Column>& out)
{
    Component& component = m_components[piece];
    std::vector<std::optional<CoverColumns::Column>> found(sets.size());
    const auto make = [&](std::size_t thread, std::size_t i) {
        std::vector<TensorId> stayIn, stayOut;
        for (auto rest = sets[i].stayIn; rest != 0; rest &= rest - 1)
            stayIn.push_back(component.pricing->inputs()[static_cast<std::size_t>(std::countr_zero(rest))]);
        for (const OpId o : m_cover.opsOf(piece, sets[i].stayOut))
            stayOut.push_back(m_problem.op(o).output);
        found[i] = m_cover.subgraph(piece, sets[i].ops, stayIn, stayOut, thread);
    };
    if (!forAllInThreads(
            m_threads, sets.size(), [&](std::size_t) { return secondsLeft() > 0; }, make))
        return false;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!found[i]) {
            m_isKnown = false;
            return false;
        }
        component.known.insert(sets[i]);
        if (std::isfinite(found[i]->least.latency))
            out.push_back(std::move(*found[i]));
    }
    return true;
}

/// Those of few ops.
bool GrownCover::list(std::uint32_t piece)
{
    Component& component = m_components[piece];
    auto graph = FrontierGraph::build(m_problem, m_rules, m_pieces[piece].ops, m_cover, kArcs);
    if (!graph)
        return false;
    component.graph = std::make_unique<FrontierGraph>(std::move(*graph));
    component.pricing =
        std::make_unique<SetPricing>(m_problem, m_rules, m_pieces[piece].ops, *component.graph);
    return component.pricing->covers() && addColumns(piece, component.pricing->smallSets(kListed), m_columns);
}

bool GrownCover::find(const std::vector<double>& prices, std::vector<CoverColumns::Column>& out)
{
    const double until = wallClock() + kFindShare * secondsLeft();
    bool all = true;
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece) {
        Component& component = m_components[piece];
        if (!component.pricing)
            continue;
        const SetPricing::Found found = component.pricing->find(
            prices, component.known,
            {.sets = kFoundAtOnce,
             .secondsLeft = [&] { return std::min(secondsLeft(), until - wallClock()); },
             .threads = m_threads});
        all = addColumns(piece, found.sets, out) && all && found.all;
    }
    return all;
}

SetCoverBound GrownCover::run()
{
    m_components.resize(m_pieces.size());
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece)
        if (m_pieces[piece].ops.size() > kMostOps || !list(piece))
            return {};
    const std::function<double()> left = [this] { return secondsLeft(); };
    CoverPricer pricer(m_cover, m_columns, 0, m_threads, left, true);
    CoverPrices certain;
    double part = kFirstPart;
    bool best = false;
    while (secondsLeft() > 0 && m_columns.size() < m_limits.sets && m_isKnown) {
        pricer.improve();
        CoverPrices now = pricer.best();
        best = certain.value >= now.value * kBestReached;
        if (best)
            break;
        const double reached = certain.value / now.value;
        part = std::max(part, reached + (1 - reached) / 3);
        for (double& price : now.prices)
            price *= 1 - (1 - part) / 2;
        const double less = (1 - part) / 2 * now.value / static_cast<double>(m_problem.opCount());
        for (std::size_t i = 0; i < m_problem.opCount(); ++i) {
            double& price = now.prices[m_cover.runs(OpId(i))];
            price = std::max(0.0, price - less);
        }
        std::vector<CoverColumns::Column> more;
        const bool all = find(now.prices, more);
        const std::size_t found = more.size();
        pricer.add(std::move(more));
        if (!all) {
            part = std::max(kLeastPart, part - (kLower - part) / 2);
            continue;
        }
        now.prices = pricer.held(now.prices);
        now.value = pricer.valueOf(now.prices);
        if (now.value > certain.value)
            certain = std::move(now);
        if (found < kFew)
            part = part > kAlmost ? 1 : 1 - (1 - part) * 0.4;
    }
    if (certain.value <= 0)
        return {};
    SetCoverBound out = pricer.describe(m_problem, certain);
    out.sets = m_columns.size();
    out.best = best;
    return out;
}

} // namespace

SetCoverBound grownCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (!CostModel::supports(rules))
        return {};
    return GrownCover(problem, rules, limits).run();
}

} // namespace tilewright
