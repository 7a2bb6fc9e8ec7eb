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
#include <iterator>
#include <limits>
#include <memory>
#include <unordered_set>
#include <cstdio>
#include <cstdlib>

namespace tilewright {

namespace {

constexpr std::size_t kListed = 3000;     ///< sets of a component that are looked at from the start
constexpr std::size_t kArcs = 4'000'000;
constexpr std::size_t kFoundAtOnce = 4000;

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
    SetCoverBound run(const std::vector<double>& start);

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
    std::vector<double> m_dbg;
    std::vector<Piece> m_pieces;
    std::size_t m_threads;
    CoverColumns m_cover;
    std::vector<CoverColumns::Column> m_columns;
    std::vector<Component> m_components; ///< by piece
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
        component.known.insert(sets[i]);
        if (getenv("TW_SETS") && m_components.size() > 1 && m_columns.size() > 18000 && i % 97 == 0) {
            fprintf(stderr, "      set");
            for (const OpId o : m_cover.opsOf(piece, sets[i].ops))
                fprintf(stderr, " %u", o.value);
            fprintf(stderr, " in");
            for (auto rest = sets[i].stayIn; rest != 0; rest &= rest - 1)
                fprintf(stderr, " T%u", component.pricing->inputs()[static_cast<std::size_t>(std::countr_zero(rest))].value);
            fprintf(stderr, " out");
            for (const OpId o : m_cover.opsOf(piece, sets[i].stayOut))
                fprintf(stderr, " %u", o.value);
            double price = 0;
            if (found[i]) {
                for (auto& a : found[i]->achieves) price += a.amount * m_dbg[a.row];
                CoverColumns::Column c = *found[i];
                m_cover.sharpen(c, 0);
                fprintf(stderr, " price %.0f least %.0f sharp %.0f\n", price, found[i]->least.latency, c.least.latency);
            } else fprintf(stderr, " impossible\n");
        }
        if (found[i])
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
    return addColumns(piece, component.pricing->smallSets(kListed), m_columns);
}

bool GrownCover::find(const std::vector<double>& prices, std::vector<CoverColumns::Column>& out)
{
    m_dbg = prices;
    bool all = true;
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece) {
        Component& component = m_components[piece];
        if (!component.pricing)
            continue;
        const SetPricing::Found found = component.pricing->find(
            prices, component.known,
            {.sets = kFoundAtOnce, .secondsLeft = [this] { return secondsLeft(); }, .threads = m_threads});
        all = addColumns(piece, found.sets, out) && all && found.all;
    }
    return all;
}

SetCoverBound GrownCover::run(const std::vector<double>& start)
{
    SetCoverBound out;
    m_components.resize(m_pieces.size());
    for (std::uint32_t piece = 0; piece < m_pieces.size(); ++piece)
        if (m_pieces[piece].ops.size() > kMostOps || !list(piece))
            return out;
    const std::function<double()> left = [this] { return secondsLeft(); };
    const double t0 = wallClock();
    const bool dbg = getenv("TW_DBG");
    if (dbg) fprintf(stderr, "listed %zu columns\n", m_columns.size());
    CoverPricer pricer(m_cover, m_columns, 0, m_threads, left, true);
    std::vector<double> best; // certain
    double value = 0;
    pricer.improve(start);
    double part = 0.9; // of the program's prices
    while (secondsLeft() > 0) {
        const CoverPrices now = pricer.best();
        if (dbg) fprintf(stderr, "%.2f s: program %.1f certain %.1f columns %zu part %.3f\n", wallClock() - t0, now.value, value, m_columns.size(), part);
        if (value >= now.value * (1 - 1e-8))
            break;
        part = std::max(part, value / now.value + (1 - value / now.value) / 3);
        std::vector<double> prices(now.prices);
        for (double& price : prices)
            price *= part;
        std::vector<CoverColumns::Column> more;
        const double t1 = wallClock();
        const bool all = find(prices, more);
        const bool none = more.empty();
        const std::size_t n = more.size();
        if (!none)
            pricer.add(std::move(more));
        const double t2 = wallClock();
        if (all) {
            std::vector<double> held = pricer.held(prices);
            if (const double v = pricer.valueOf(held); v > value) {
                value = v;
                best = std::move(held);
            }
            part = n < 500 ? std::min(1.0, part + 0.6 * (1 - part)) : part;
            if (1 - part < 1e-3) part = 1;
        } else {
            part = std::max(0.5, part - 0.5 * (1.02 - part));
        }
        const double t3 = wallClock();
        pricer.improve();
        if (dbg) fprintf(stderr, "   find %.2f s, %zu columns; add, held %.2f s, improve %.2f s\n", t2-t1, n, t3 - t2, wallClock() - t3);
    }
    out.value = value;
    return out;
}

} // namespace

SetCoverBound grownCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits,
                              const std::vector<double>& start)
{
    return GrownCover(problem, rules, limits).run(start);
}

} // namespace tilewright
