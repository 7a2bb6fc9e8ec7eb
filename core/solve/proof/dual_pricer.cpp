// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/dual_pricer.h"

#include "solve/proof/parallel_for.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>

namespace tilewright {

namespace {

constexpr double kMargin = 1 - 2e-10; ///< factor on prices: a safety margin for rounding
constexpr double kSmoothing = 0.6;    ///< weight of the best valid prices in the smoothed prices
constexpr double kMinSmoothing = 0.1; ///< smaller weights are set to 0
/// If the value of the valid prices is below this share of the master problem's value, the weight kSmoothing
/// is halved.
constexpr double kFullWeightShare = 0.75;
constexpr double kAtGoal = 1 - 1e-8; ///< share of the goal that counts as reaching it
/// Share of the distance between the master problem's value and the goal; improving the prices by less is not
/// worthwhile.
constexpr double kMinGainShare = 0.01;
constexpr double kMinLpSeconds = 0.02; ///< minimum time limit for solving a linear program, in seconds
/// Cost that disables a column of the linear program, in multiples of setUnit().
constexpr double kUnusableCost = 1e3;
constexpr int kLoweringRounds = 12;

} // namespace

DualPricer::DualPricer(const Problem& problem, MasterRows rows, Settings settings)
    : m_problem(problem), m_rows(std::move(rows)), m_settings(std::move(settings)),
      m_program(m_rows.demands()), m_prices(m_rows.demands().size(), 0)
{
    // an artificial, expensive column for each row makes the program feasible
    for (std::size_t i = 0; i < m_prices.size(); ++i)
        if (isDemanded(i))
            (void)addToProgram(std::numeric_limits<double>::infinity(), std::array{Entry{i, 1}}, {});
}

double DualPricer::valueOf(const Prices& prices) const
{
    return std::inner_product(prices.begin(), prices.end(), m_rows.demands().begin(), 0.0);
}

template <class Work> void DualPricer::forAllColumns(const Work& work) const
{
    (void)forAllInThreads(
        m_settings.threads, columnCount(), [](std::size_t) { return true; }, work);
}

std::uint32_t DualPricer::addToProgram(double cost, std::span<const Entry> entries, std::vector<OpId> ops)
{
    m_costs.push_back(cost);
    m_ops.push_back(std::move(ops));
    return static_cast<std::uint32_t>(m_program.add(std::min(cost / m_unit, kUnusableCost), entries));
}

void DualPricer::setProgramCost(std::uint32_t number, double cost)
{
    m_costs[number] = cost;
    m_program.setCost(number, std::min(cost / m_unit, kUnusableCost));
}

DualPricer::OverpricedList DualPricer::overpriced(const Prices& prices) const
{
    std::vector<double> reduced(columnCount());
    forAllColumns([&](std::size_t, std::size_t i) { reduced[i] = reducedCost(i, prices).value(); });
    OverpricedList out;
    for (std::size_t i = 0; i < reduced.size(); ++i)
        if (reduced[i] < -kTolerance * cost(i))
            out.push_back({i, -reduced[i]});
    std::ranges::sort(out, [](const Overpriced& a, const Overpriced& b) {
        return a.by != b.by ? a.by > b.by : a.column < b.column;
    });
    return out;
}

DualPricer::OverpricedList DualPricer::toActivate(const OverpricedList& found) const
{
    OverpricedList out;
    for (const Overpriced& o : found)
        if (!isActive(o.column) && out.size() < m_settings.activatedPerRound)
            out.push_back(o);
    return out;
}

bool DualPricer::lower(std::size_t column, Prices& prices, bool onlyDemanded) const
{
    const Slack reduced = reducedCost(column, prices);
    if (reduced.isNonNegative())
        return true;
    const std::vector<Entry> achieved = entries(column);
    double demanded = 0;
    double all = 0;
    for (const Entry& e : achieved) {
        const double sum = std::max(0.0, e.coefficient * prices[e.row]);
        all += sum;
        demanded += isDemanded(e.row) ? sum : 0;
    }
    const double excess = (reduced.error() - reduced.value()) * (1 + 1e-9);
    const bool enough = onlyDemanded || demanded >= excess;
    const double sum = enough ? demanded : all;
    const double keep = sum > excess ? 1 - excess / sum : 0;
    for (const Entry& e : achieved)
        if (e.coefficient > 0 && (!enough || isDemanded(e.row)))
            prices[e.row] *= keep;
    return demanded >= excess;
}

/// Returns valid prices below the given ones: either lowered column by column, the most overpriced column
/// first, or all divided by the worst ratio. The variant with the higher value is returned.
DualPricer::Prices DualPricer::lowered(Prices prices, OverpricedList found) const
{
    double worst = 1;
    for (const Overpriced& o : found)
        worst = std::max(worst, 1 + o.by / cost(o.column)); // infinite if the column has no cost
    Prices scaled = prices;
    for (double& price : scaled)
        price /= worst;
    for (int i = 0; i < kLoweringRounds && !found.empty(); ++i) {
        bool enough = true;
        for (const Overpriced& o : found)
            enough &= lower(o.column, prices);
        found = enough ? OverpricedList() : overpriced(prices);
    }
    if (!found.empty()) {
        // The prices of rows in which a column can have a negative coefficient become 0. One further pass
        // then suffices.
        for (std::size_t i = 0; i < prices.size(); ++i)
            prices[i] *= isDemanded(i) ? 1 : 0;
        for (const Overpriced& o : overpriced(prices))
            (void)lower(o.column, prices);
    }
    return valueOf(prices) > valueOf(scaled) ? prices : scaled;
}

std::optional<std::vector<double>> DualPricer::applySafetyMargin(Prices& prices) const
{
    for (double& price : prices)
        price = std::max(0.0, price) * kMargin;
    std::vector<double> reduced(columnCount());
    std::atomic<bool> hold = true;
    forAllColumns([&](std::size_t, std::size_t i) {
        const Slack slack = reducedCost(i, prices);
        reduced[i] = slack.value();
        if (!slack.isNonNegative())
            hold.store(false, std::memory_order_relaxed);
    });
    return hold ? std::optional(std::move(reduced)) : std::nullopt;
}

void DualPricer::adopt(Prices prices)
{
    if (valueOf(prices) <= m_value)
        return;
    const auto reduced = applySafetyMargin(prices);
    const double value = valueOf(prices) * (1 - 1e-12); // lowered to account for rounding in the sum
    if (!reduced || !(value > m_value))
        return;
    m_value = value;
    m_prices = std::move(prices);
    adopted(*reduced);
}

void DualPricer::revalidate()
{
    const Prices prices = std::exchange(m_prices, Prices(m_prices.size(), 0));
    m_value = 0;
    adoptLowered(prices);
}

bool DualPricer::isConverged(double most) const
{
    const double goal = m_settings.goal;
    if (m_value >= most * (1 - m_settings.converged) || m_value >= goal * kAtGoal)
        return true;
    return std::isfinite(goal) && most < goal * kAtGoal && most - m_value <= kMinGainShare * (goal - most);
}

void DualPricer::improve()
{
    double smoothing = kSmoothing;
    while (columnCount() > 0 && m_settings.secondsLeft() > 0) {
        const IncrementalLp::Solution master =
            m_program.solve(std::max(kMinLpSeconds, m_settings.secondsLeft()));
        if (!master.optimal)
            break;
        m_shares = master.values;
        m_solvedCosts = m_costs;
        const double most = master.value * m_unit;
        if (isConverged(most))
            break;
        const double kept = smoothing * (m_value > kFullWeightShare * most ? 1 : m_value > 0 ? 0.5 : 0);
        Prices prices(m_prices.size());
        for (std::size_t i = 0; i < prices.size(); ++i) // dual prices that are not a number count as 0
            prices[i] = kept * m_prices[i] + (1 - kept) * std::max(0.0, master.prices[i]) * m_unit;
        const OverpricedList found = overpriced(prices);
        const OverpricedList added = toActivate(found);
        Prices valid = lowered(prices, found);
        activate(added, prices);
        adopt(std::move(valid));
        if (added.empty() && kept == 0)
            break;
        smoothing = !added.empty() ? kSmoothing : kept / 2 > kMinSmoothing ? kept / 2 : 0;
    }
}

SetCoverBound DualPricer::describe(double value, const Prices& prices) const
{
    SetCoverBound out;
    out.value = value;
    out.prices.assign(m_problem.opCount(), 0);
    const double scale = value / std::max(valueOf(prices), std::numeric_limits<double>::min());
    for (std::size_t i = 0; i < prices.size(); ++i)
        for (const OpId o : m_rows.opsOfRow()[i])
            out.prices[o.index()] +=
                prices[i] * m_rows.demands()[i] * scale / static_cast<double>(m_rows.opsOfRow()[i].size());
    for (std::size_t i = 0; i < m_shares.size(); ++i) {
        if (m_shares[i] <= kLeastShare || m_ops[i].empty() || !std::isfinite(m_solvedCosts[i]))
            continue;
        PricedGroup group{m_ops[i], m_solvedCosts[i], m_shares[i]};
        std::ranges::sort(group.ops);
        out.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(out.groups, std::greater<>(),
                             [](const PricedGroup& g) { return g.least * g.share; });
    return out;
}

} // namespace tilewright
