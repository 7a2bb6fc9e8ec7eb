// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/cover_prices.h"

#include "solve/proof/prove_threads.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>

namespace tilewright {

namespace {

using Column = CoverColumns::Column;
using Prices = CoverPricer::Prices;

constexpr double kBelow = 1 - 1e-9; ///< what counts of prices that hold, so that rounding does not matter
constexpr std::size_t kAddedARound = 1000;
constexpr double kExceeded = 1e-9;
constexpr double kKeptPart = 0.6; ///< part of the best prices so far in those that are looked at
constexpr double kLeastKept = 0.1;
constexpr double kCloseBy = 0.75; ///< of the program's value; half as much of best prices below it
constexpr double kReached = 1e-8;
constexpr double kProgramSeconds = 0.02; ///< for a program
constexpr double kOutOfReach = 1e3;
constexpr std::uint32_t kNotInProgram = std::numeric_limits<std::uint32_t>::max();

} // namespace

CoverPricer::CoverPricer(CoverColumns& cover, std::vector<Column>& columns, std::size_t threads,
                         const std::function<double()>& secondsLeft)
    : m_cover(cover), m_columns(columns), m_threads(threads), m_secondsLeft(secondsLeft),
      m_program(cover.demands()), m_inProgram(columns.size(), kNotInProgram),
      m_best(cover.demands().size(), 0)
{
    for (const Column& c : columns)
        m_unit = std::max(m_unit, c.least);
    if (m_unit > 0)
        begin();
}

double CoverPricer::valueOf(const Prices& prices) const
{
    const std::vector<double>& demands = m_cover.demands();
    return std::inner_product(prices.begin(), prices.end(), demands.begin(), 0.0);
}

/// Has these looked at closely, and takes those into the program that are still overpriced; without prices
/// all of them.
void CoverPricer::let(const std::vector<std::size_t>& which, const Prices& prices)
{
    if (!forAllInThreads(
            m_threads, which.size(), [&](std::size_t) { return prices.empty() || m_secondsLeft() > 0; },
            [&](std::size_t thread, std::size_t i) {
                if (Column& c = m_columns[which[i]]; !c.sharp) // takes too long for all
                    m_cover.sharpen(c, thread);
            }))
        return;
    std::vector<GrowingProgram::Entry> entries;
    for (const std::size_t i : which) {
        const Column& c = m_columns[i];
        if (!prices.empty() && excess(c, prices) <= kExceeded)
            continue;
        entries.clear();
        for (const Achieved& a : c.achieves)
            entries.push_back({a.row, a.amount});
        m_inProgram[i] = static_cast<std::uint32_t>(m_program.add(c.least / m_unit, entries));
    }
}

CoverPricer::Overpriced CoverPricer::overpriced(const Prices& prices) const
{
    std::vector<double> by(m_columns.size());
    (void)forAllInThreads(
        m_threads, m_columns.size(), [](std::size_t) { return true; },
        [&](std::size_t, std::size_t i) {
            const Slack s = slack(m_columns[i], prices);
            by[i] = s.holds() ? -1 : std::max(0.0, -s.value());
        });
    Overpriced out;
    for (std::size_t i = 0; i < by.size(); ++i)
        if (by[i] >= 0)
            out.all.push_back(i);
    std::ranges::sort(out.all,
                      [&](std::size_t a, std::size_t b) { return by[a] != by[b] ? by[a] > by[b] : a < b; });
    for (const std::size_t i : out.all)
        if (m_inProgram[i] == kNotInProgram && by[i] > kExceeded && out.added.size() < kAddedARound)
            out.added.push_back(i);
    return out;
}

void CoverPricer::adopt(Prices prices)
{
    for (double& price : prices)
        price *= kBelow;
    const double value = valueOf(prices);
    if (value <= m_value)
        return;
    std::atomic<bool> hold = true;
    (void)forAllInThreads(
        m_threads, m_columns.size(), [](std::size_t) { return true; },
        [&](std::size_t, std::size_t i) {
            if (const Slack s = slack(m_columns[i], prices); s.value() < s.error() / 2)
                hold.store(false, std::memory_order_relaxed);
        });
    if (!hold)
        return;
    m_value = value;
    m_best = std::move(prices);
}

/// In proportion the prices of what it achieves: where that is enough only of what is demanded, of which no
/// column has a negative amount, so none gets worse by it. Whether it was.
bool CoverPricer::lower(const Column& c, Prices& prices, bool onlyDemanded) const
{
    const Slack s = slack(c, prices);
    if (s.holds())
        return true;
    double demanded = 0;
    double all = 0;
    for (const Achieved& a : c.achieves) {
        const double sum = std::max(0.0, a.amount * prices[a.row]);
        all += sum;
        demanded += isDemanded(a.row) ? sum : 0;
    }
    const double excess = (s.error() - s.value()) * (1 + 1e-9);
    const bool enough = onlyDemanded || demanded >= excess;
    const double sum = enough ? demanded : all;
    const double keep = sum > excess ? 1 - excess / sum : 0;
    for (const Achieved& a : c.achieves)
        if (a.amount > 0 && (!enough || isDemanded(a.row)))
            prices[a.row] *= keep;
    return demanded >= excess;
}

Prices CoverPricer::lowered(Prices prices, std::vector<std::size_t> found) const
{
    constexpr int kMost = 12;
    for (int i = 0; i < kMost && !found.empty(); ++i) {
        for (const std::size_t column : found)
            (void)lower(m_columns[column], prices);
        found = overpriced(prices).all;
    }
    if (found.empty())
        return prices;
    for (std::size_t i = 0; i < prices.size(); ++i) // without those, once is enough
        if (!isDemanded(i))
            prices[i] = 0;
    for (const std::size_t column : overpriced(prices).all)
        (void)lower(m_columns[column], prices);
    return prices;
}

void CoverPricer::begin()
{
    const std::vector<double>& demands = m_cover.demands();
    for (std::size_t i = 0; i < demands.size(); ++i) // so that it can be done from the start
        if (demands[i] > 0)
            (void)m_program.add(kOutOfReach, std::array{GrowingProgram::Entry{i, 1}});
    std::vector<std::size_t> singles;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (m_columns[i].ops.size() == 1)
            singles.push_back(i);
    let(singles, {});
}

void CoverPricer::improve(const Prices& start)
{
    if (m_unit <= 0)
        return;
    const std::vector<double>& demands = m_cover.demands();
    if (!start.empty()) {
        Prices near(demands.size());
        for (std::size_t i = 0; i < std::min(start.size(), near.size()); ++i)
            near[i] = start[i] / m_unit;
        adopt(lowered(near, overpriced(near).all));
    }
    double smoothing = kKeptPart;
    while (m_secondsLeft() > 0) {
        const GrowingProgram::Solution master = m_program.solve(std::max(kProgramSeconds, m_secondsLeft()));
        if (!master.optimal)
            break;
        m_shares = master.values;
        if (m_value >= master.value * (1 - kReached)) // no prices add up to more
            break;
        const double old = smoothing * (m_value > kCloseBy * master.value ? 1 : m_value > 0 ? 0.5 : 0);
        Prices prices(demands.size());
        for (std::size_t i = 0; i < prices.size(); ++i)
            prices[i] = old * m_best[i] + (1 - old) * std::max(0.0, master.prices[i]); // not a number: 0
        const Overpriced found = overpriced(prices);
        Prices valid = lowered(prices, found.all);
        let(found.added, prices);
        adopt(std::move(valid));
        if (found.added.empty() && old == 0)
            break;
        smoothing = !found.added.empty() ? kKeptPart : old / 2 > kLeastKept ? old / 2 : 0;
    }
}

void CoverPricer::add(std::vector<Column> more)
{
    std::ranges::move(more, std::back_inserter(m_columns));
    m_inProgram.resize(m_columns.size(), kNotInProgram);
    Prices prices = std::move(m_best);
    m_best.assign(prices.size(), 0);
    m_value = 0;
    adopt(lowered(prices, overpriced(prices).all));
}

Prices CoverPricer::held(const Prices& prices)
{
    constexpr int kRounds = 12;
    Prices out(prices);
    for (double& price : out)
        price /= m_unit;
    Overpriced found = overpriced(out);
    for (int i = 0; i < kRounds && !found.added.empty(); ++i) {
        let(found.added, out);
        found = overpriced(out);
    }
    bool hold = true;
    for (const std::size_t i : found.all)
        hold &= lower(m_columns[i], out, true);
    for (double& price : out)
        price *= kBelow;
    hold &= std::ranges::all_of(m_columns, [&](const Column& c) {
        const Slack s = slack(c, out);
        return s.value() >= s.error() / 2;
    });
    if (!hold)
        out.assign(out.size(), 0);
    for (double& price : out)
        price *= m_unit;
    return out;
}

CoverPrices CoverPricer::best() const
{
    CoverPrices out;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (constexpr double kShare = 1e-6;
            m_inProgram[i] < m_shares.size() && m_shares[m_inProgram[i]] > kShare)
            out.shares.emplace_back(i, m_shares[m_inProgram[i]]);
    out.value = m_value * m_unit;
    out.prices = m_best;
    for (double& price : out.prices)
        price *= m_unit;
    return out;
}

SetCoverBound CoverPricer::describe(const Problem& problem, const CoverPrices& prices) const
{
    const std::vector<double>& demands = m_cover.demands();
    SetCoverBound out;
    out.value = prices.value;
    out.prices.assign(problem.opCount(), 0);
    const double scale = prices.value / std::max(valueOf(prices.prices), std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < demands.size(); ++i) {
        const std::vector<OpId>& ops = m_cover.opsOfRow()[i];
        for (const OpId o : ops)
            out.prices[o.index()] += prices.prices[i] * demands[i] * scale / static_cast<double>(ops.size());
    }
    for (const auto& [i, share] : prices.shares) {
        const Column& c = m_columns[i];
        PricedGroup group;
        group.ops = c.ops;
        std::ranges::sort(group.ops);
        group.least = c.least;
        group.share = share;
        out.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(out.groups, std::greater<>(),
                             [](const PricedGroup& g) { return g.least * g.share; });
    return out;
}

} // namespace tilewright
