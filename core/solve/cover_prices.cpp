// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cover_prices.h"

#include "solve/linear_program.h"
#include "solve/prove_threads.h"
#include "solve/slack.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>

namespace tilewright {

namespace {

using Column = CoverColumns::Column;
using Prices = std::vector<double>;

constexpr double kBelow = 1 - 1e-9; ///< what counts of prices that hold, so that rounding does not matter
constexpr std::size_t kAddedARound = 1000;
constexpr std::size_t kPartsAtOnce = 4; ///< of the parts of one
constexpr int kSplitsAtOnce = 200;      ///< of one; what is still open then has its turn in the next round
constexpr double kExceeded = 1e-9;
constexpr double kKeptPart = 0.6; ///< part of the best prices so far in those that are looked at
constexpr double kLeastKept = 0.1;
constexpr double kCloseBy = 0.75; ///< of the program's value; half as much of best prices below it
constexpr double kReached = 1e-8;
constexpr double kProgramSeconds = 0.02; ///< for a program
constexpr double kOutOfReach = 1e3;
constexpr std::uint32_t kNotInProgram = std::numeric_limits<std::uint32_t>::max();

double valueOf(const Prices& prices, const std::vector<double>& demands)
{
    return std::inner_product(prices.begin(), prices.end(), demands.begin(), 0.0);
}

/// A linear program over the columns that have been overpriced so far. Its prices jump from round to round,
/// so those between them and the best ones so far are looked at. What these exceed is decided further and
/// added, and lower ones that hold for all columns are made of them: every round ends with a bound.
class Pricer
{
public:
    Pricer(CoverColumns& cover, std::vector<Column>& columns, std::size_t weight, std::size_t threads,
           const std::function<double()>& secondsLeft)
        : m_cover(cover), m_columns(columns), m_weight(weight), m_threads(threads),
          m_secondsLeft(secondsLeft), m_program(cover.demands()), m_inProgram(columns.size(), kNotInProgram)
    {
        for (const Column& c : columns)
            m_unit = std::max(m_unit, cost(c));
    }
    CoverPrices run(const Prices& start);

private:
    struct Part
    {
        Column column;
        bool counts;
    };
    [[nodiscard]] bool isDemanded(std::size_t row) const { return m_cover.demands()[row] > 0; }
    [[nodiscard]] double cost(const Column& c) const { return m_cover.cost(c, m_weight); }
    [[nodiscard]] double excess(const Column& c, const Prices& prices) const
    {
        return -slack(c, prices).value();
    }
    [[nodiscard]] std::vector<Part> decide(const Column& column, const Prices& prices, std::size_t thread);
    void let(const std::vector<std::size_t>& which, const Prices& prices);
    struct Overpriced
    {
        std::vector<std::size_t> all;   ///< the worst first
        std::vector<std::size_t> added; ///< of which the program does not know
    };
    [[nodiscard]] Overpriced overpriced(const Prices& prices) const;
    /// Prices no higher than these that hold for all columns; worth nothing when there was no way.
    [[nodiscard]] Prices lowered(Prices prices, std::vector<std::size_t> overpriced) const;
    void lower(const Column& c, Prices& prices) const;
    [[nodiscard]] Slack slack(const Column& c, const Prices& prices) const
    {
        Slack out(cost(c) / m_unit);
        for (const Achieved& a : c.achieves)
            out.take(a.amount * prices[a.row]);
        return out;
    }
    /// Takes prices over that are better than those so far, if they hold for all columns.
    void adopt(Prices prices);

    CoverColumns& m_cover;
    std::vector<Column>& m_columns;
    std::size_t m_weight, m_threads;
    const std::function<double()>& m_secondsLeft;
    GrowingProgram m_program;
    std::vector<std::uint32_t> m_inProgram; ///< by column
    double m_unit = 0;
    Prices m_best;
    double m_value = 0;
};

/// What a column is when it is split as far as these prices exceed its parts; without prices, as far as is
/// needed for the one where nothing crosses and nothing stays.
std::vector<Pricer::Part> Pricer::decide(const Column& column, const Prices& prices, std::size_t thread)
{
    std::vector<Part> out;
    std::vector<Column> todo{column};
    std::size_t counting = 0;
    int splits = 0;
    while (!todo.empty()) {
        Column c = std::move(todo.back());
        todo.pop_back();
        const bool over = counting < kPartsAtOnce && (c.decided || splits < kSplitsAtOnce) &&
                          (prices.empty() ? counting == 0 : excess(c, prices) > kExceeded);
        if (!over || c.decided) {
            counting += over ? 1 : 0;
            out.push_back({std::move(c), over});
            continue;
        }
        ++splits;
        std::array<std::optional<Column>, 2> parts = m_cover.split(c, thread);
        if (!prices.empty() && parts[0] && parts[1] && excess(*parts[0], prices) > excess(*parts[1], prices))
            std::swap(parts[0], parts[1]);
        for (std::optional<Column>& part : parts) // the last one comes first
            if (part)
                todo.push_back(std::move(*part));
    }
    return out;
}

void Pricer::let(const std::vector<std::size_t>& which, const Prices& prices)
{
    std::vector<std::vector<Part>> parts(which.size());
    if (!forAllInThreads(
            m_threads, which.size(), [&](std::size_t) { return prices.empty() || m_secondsLeft() > 0; },
            [&](std::size_t thread, std::size_t i) {
                parts[i] = decide(m_columns[which[i]], prices, thread);
            }))
        return;
    std::vector<GrowingProgram::Entry> entries;
    std::vector<std::size_t> gone;
    for (std::size_t i = 0; i < which.size(); ++i) {
        bool first = true;
        for (Part& part : parts[i]) {
            std::size_t at = which[i];
            if (!first) {
                at = m_columns.size();
                m_columns.emplace_back();
                m_inProgram.push_back(kNotInProgram);
            }
            first = false;
            m_columns[at] = std::move(part.column);
            if (!part.counts)
                continue;
            entries.clear();
            for (const Achieved& a : m_columns[at].achieves)
                entries.push_back({a.row, a.amount});
            m_inProgram[at] =
                static_cast<std::uint32_t>(m_program.add(cost(m_columns[at]) / m_unit, entries));
        }
        if (first)
            gone.push_back(which[i]);
    }
    std::ranges::sort(gone, std::greater<>());
    for (const std::size_t i : gone) {
        std::swap(m_columns[i], m_columns.back());
        std::swap(m_inProgram[i], m_inProgram.back());
        m_columns.pop_back();
        m_inProgram.pop_back();
    }
}

Pricer::Overpriced Pricer::overpriced(const Prices& prices) const
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

void Pricer::adopt(Prices prices)
{
    for (double& price : prices)
        price *= kBelow;
    const double value = valueOf(prices, m_cover.demands());
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
/// column has a negative amount, so none gets worse by it.
void Pricer::lower(const Column& c, Prices& prices) const
{
    const Slack s = slack(c, prices);
    if (s.holds())
        return;
    double demanded = 0;
    double all = 0;
    for (const Achieved& a : c.achieves) {
        const double sum = std::max(0.0, a.amount * prices[a.row]);
        all += sum;
        demanded += isDemanded(a.row) ? sum : 0;
    }
    const double excess = (s.error() - s.value()) * (1 + 1e-9);
    const bool enough = demanded >= excess;
    const double sum = enough ? demanded : all;
    const double keep = sum > excess ? 1 - excess / sum : 0;
    for (const Achieved& a : c.achieves)
        if (a.amount > 0 && (!enough || isDemanded(a.row)))
            prices[a.row] *= keep;
}

Prices Pricer::lowered(Prices prices, std::vector<std::size_t> found) const
{
    constexpr int kMost = 12;
    for (int i = 0; i < kMost && !found.empty(); ++i) {
        for (const std::size_t column : found)
            lower(m_columns[column], prices);
        found = overpriced(prices).all;
    }
    if (found.empty())
        return prices;
    for (std::size_t i = 0; i < prices.size(); ++i) // without those, once is enough
        if (!isDemanded(i))
            prices[i] = 0;
    for (const std::size_t column : overpriced(prices).all)
        lower(m_columns[column], prices);
    return prices;
}

CoverPrices Pricer::run(const Prices& start)
{
    CoverPrices out;
    if (m_unit <= 0)
        return out;
    const std::vector<double>& demands = m_cover.demands();
    for (std::size_t i = 0; i < demands.size(); ++i) // so that it can be done from the start
        if (demands[i] > 0)
            (void)m_program.add(kOutOfReach, std::array{GrowingProgram::Entry{i, 1}});
    std::vector<std::size_t> singles;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (std::has_single_bit(m_columns[i].ops) && m_columns[i].retained == 0)
            singles.push_back(i);
    let(singles, {});
    m_best.assign(demands.size(), 0);
    if (!start.empty()) {
        Prices near(demands.size());
        for (std::size_t i = 0; i < std::min(start.size(), near.size()); ++i)
            near[i] = start[i] / m_unit;
        adopt(lowered(near, overpriced(near).all));
    }
    std::vector<double> values;
    double smoothing = kKeptPart;
    while (m_secondsLeft() > 0) {
        const GrowingProgram::Solution master = m_program.solve(std::max(kProgramSeconds, m_secondsLeft()));
        if (!master.optimal)
            break;
        values = master.values;
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
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (constexpr double kShare = 1e-6; m_inProgram[i] < values.size() && values[m_inProgram[i]] > kShare)
            out.shares.emplace_back(i, values[m_inProgram[i]]);
    out.value = m_value * m_unit;
    out.prices = std::move(m_best);
    for (double& price : out.prices)
        price *= m_unit;
    return out;
}

} // namespace

CoverPrices priceCover(CoverColumns& cover, std::vector<Column>& columns, std::size_t weight,
                       const std::vector<double>& start, std::size_t threads,
                       const std::function<double()>& secondsLeft)
{
    return Pricer(cover, columns, weight, threads, secondsLeft).run(start);
}

} // namespace tilewright
