// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/dual_pricer.h"

#include "solve/proof/parallel_for.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

namespace tilewright {

namespace {

std::uint64_t deliveryKey(TensorId t, OpId reader)
{
    return std::uint64_t{t.value} << 32 | reader.value;
}

} // namespace

MasterRows::MasterRows(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                       const std::vector<std::uint32_t>& classes)
    : m_problem(problem), m_rules(rules), m_keepsInputs(rules.keepsInputs()),
      m_isCovered(problem.opCount(), 0), m_runs(problem.opCount(), 0), m_written(problem.tensorCount()),
      m_handedOver(problem.tensorCount())
{
    enum class Kind : std::uint8_t { Runs, Written, Reaches, HandedOver };
    std::map<std::tuple<Kind, std::uint32_t, std::uint32_t>, Row> rows;
    const auto classOf = [&](OpId o) { return classes.empty() ? o.value : classes[o.index()]; };
    const auto add = [&](Kind kind, OpId o, OpId reader, double demand) {
        const auto [it, isNew] = rows.try_emplace({kind, classOf(o), classOf(reader)}, m_demands.size());
        if (isNew) {
            m_demands.push_back(0);
            m_rowOps.emplace_back();
        }
        m_demands[it->second] += demand;
        m_rowOps[it->second].push_back(o);
        return it->second;
    };
    for (const OpId o : ops) {
        m_isCovered[o.index()] = 1;
        m_runs[o.index()] = add(Kind::Runs, o, o, 1);
        const TensorId t = problem.op(o).output;
        const bool isReadThroughView = std::ranges::any_of(
            // true if an op reads the tensor through a view (R1.7)
            problem.viewsOf(t), [&](TensorId view) { return !problem.consumers(view).empty(); });
        if (problem.isGraphOutput(t) || isReadThroughView)
            m_written[t.index()] = add(Kind::Written, o, o, 1);
        for (const OpId c : problem.consumers(t))
            m_reaches.emplace(deliveryKey(t, c), add(Kind::Reaches, o, c, 1));
        if (mayBeResident(t) && !m_keepsInputs && !problem.consumers(t).empty())
            m_handedOver[t.index()] = add(Kind::HandedOver, o, o, 0);
    }
}

std::optional<MasterRows::Row> MasterRows::reaches(TensorId t, OpId reader) const
{
    const auto it = m_reaches.find(deliveryKey(t, reader));
    return it == m_reaches.end() ? std::nullopt : std::optional(it->second);
}

bool MasterRows::mayBeResident(TensorId t) const
{
    // A step needs at least one element besides the retained tensor, unless all its tensors are retained, or
    // the result may reuse the memory of an input (donation).
    const bool fits = m_problem.tensor(t).elements() + (m_keepsInputs || m_rules.donation ? 0 : 1) <=
                      m_problem.hardware().fastMemoryCapacity;
    return fits && !m_problem.isView(t) && (m_problem.producer(t) || m_keepsInputs);
}

namespace {

constexpr double kMargin = 1 - 2e-10; ///< factor on prices that leaves a safety margin for rounding
constexpr double kSmoothing = 0.6;    ///< weight of the best valid prices in the smoothed prices
constexpr double kMinSmoothing = 0.1; ///< smaller smoothing weights are set to 0
/// The weight kSmoothing is halved if the value of the valid prices is below this share of the master
/// problem's value.
constexpr double kFullWeightShare = 0.75;
constexpr double kAtGoal = 1 - 1e-8; ///< share of the goal from which on the goal counts as reached
/// Minimum worthwhile improvement of the prices, as a share of the distance between the master problem's
/// value and the goal.
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
    // one artificial, expensive column for each row makes the program feasible
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

/// Returns valid prices below the given ones. Two variants are tried: lowering the prices column by column,
/// the most overpriced column first, and dividing all prices by the worst ratio. The variant with the higher
/// value is returned.
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
