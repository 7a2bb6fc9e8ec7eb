// SPDX-License-Identifier: GPL-3.0-or-later
// The prices of a proof: a linear program over the columns that have been overpriced so far, and from its
// prices, in every round, ones that hold for all columns.
//
// Prices of the program alone jump from round to round, and overprice most columns while they do. What is
// looked at lies between them and the best prices so far, which hold; where columns are overpriced, their own
// prices are lowered. So every round ends with a bound.
#include "solve/proof/prove_columns.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

namespace tilewright {

namespace {

constexpr std::size_t kCountedARound = 150;
constexpr double kSmoothing = 0.6;     ///< part of the best prices so far in those that are looked at
constexpr double kCloseEnough = 0.01;  ///< of what is left to the upper bound: prices are not improved for it
constexpr double kClosed = 1 - 1e-8;   ///< of the upper bound
constexpr double kConverged = 1e-9;    ///< of the program's value
constexpr double kLeastSeconds = 0.02; ///< for a program

} // namespace

std::optional<ProofColumns::OverpricedList> ProofColumns::overpriced(const Prices& prices) const
{
    std::vector<double> left(m_columns.size());
    if (!forAll(left.size(),
                [&](std::size_t, std::size_t i) { left[i] = slack(m_columns[i], prices).value(); }))
        return std::nullopt;
    OverpricedList out;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (left[i] < -kOverpriced * m_columns[i].least)
            out.push_back({i, -left[i]});
    std::ranges::sort(out, [](const Overpriced& a, const Overpriced& b) {
        return a.by != b.by ? a.by > b.by : a.column < b.column;
    });
    return out;
}

double ProofColumns::valueOf(const Prices& prices) const
{
    double value = 0;
    for (std::size_t i = 0; i < m_demands.size(); ++i)
        value += m_demands[i] * prices[i];
    return value;
}

/// Two ways, of which the better one is taken: all prices by the worst ratio, or of each column in turn those
/// that it achieves. Only rows that demand something are lowered then: their amounts are never negative, so
/// no column gets worse by it.
ProofColumns::Prices ProofColumns::repaired(Prices prices, const OverpricedList& found) const
{
    double worst = 1;
    for (const Overpriced& o : found) {
        const double least = m_columns[o.column].least;
        worst = least > 0 ? std::max(worst, (least + o.by) / least) : std::numeric_limits<double>::infinity();
    }
    Prices scaled = prices;
    for (double& price : scaled)
        price /= worst;
    bool holds = true;
    for (const Overpriced& o : found) {
        const ProofColumn& c = m_columns[o.column];
        const Slack s = slack(c, prices);
        if (s.holds())
            continue;
        double sum = 0; // of what may be lowered
        forEachAchieved(c, [&](std::size_t row, double) { sum += m_demands[row] * prices[row]; });
        const double excess = (s.error() - s.value()) * (1 + 1e-9);
        holds &= sum >= excess;
        const double keep = holds ? 1 - excess / sum : 0;
        forEachAchieved(c, [&](std::size_t row, double) {
            if (m_demands[row] > 0)
                prices[row] *= keep;
        });
    }
    return holds && valueOf(prices) > valueOf(scaled) ? prices : scaled;
}

/// Weak duality: prices that no column falls short of, be it by rounding, add up to a bound.
void ProofColumns::adopt(Prices prices)
{
    for (double& price : prices)
        price = std::max(price, 0.0) / (1 + 2 * kOverpriced);
    const double value = valueOf(prices) * (1 - 1e-12);
    if (value <= m_bound)
        return;
    std::vector<double> reduced(m_columns.size());
    std::atomic<bool> hold = true;
    const bool all = forAll(m_columns.size(), [&](std::size_t, std::size_t i) {
        const Slack s = slack(m_columns[i], prices);
        reduced[i] = s.value();
        if (!s.holds())
            hold.store(false, std::memory_order_relaxed);
    });
    if (!all || !hold)
        return;
    for (std::size_t i = 0; i < reduced.size(); ++i)
        m_columns[i].reduced = reduced[i];
    m_bound = value;
    m_prices = std::move(prices);
    m_priced = true;
    strike();
    if (m_told)
        m_told();
}

void ProofColumns::choose(const std::vector<double>& shares)
{
    constexpr double kShare = 1e-6;
    m_chosen.clear();
    for (ProofColumn& c : m_columns) {
        c.counts = c.program != ProofColumn::kNone && shares[c.program] > kShare;
        if (c.counts)
            m_chosen.push_back({c.ops, c.least, shares[c.program]});
    }
}

SetCoverBound ProofColumns::cover() const
{
    SetCoverBound out;
    out.value = std::min(m_bound, m_upper); // bounds are about better schedules
    out.sets = m_columns.size();
    out.prices.assign(m_graph.problem.opCount(), 0);
    const double scale = m_bound > 0 ? out.value / valueOf(m_prices) : 0;
    for (std::size_t i = 0; i < m_graph.size(); ++i) {
        double sum = m_prices[m_runs[i]];
        if (m_written[i] != kNoRow)
            sum += m_prices[m_written[i]];
        for (const std::size_t row : m_given[i])
            sum += m_prices[row];
        out.prices[m_graph.ops[i].index()] = scale * sum;
    }
    for (const Chosen& chosen : m_chosen) {
        PricedGroup group{m_graph.opsOf(chosen.ops), chosen.least, chosen.share};
        std::ranges::sort(group.ops);
        out.groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(out.groups, std::greater<>(),
                             [](const PricedGroup& g) { return g.least * g.share; });
    return out;
}

bool ProofColumns::price()
{
    double smoothing = kSmoothing;
    while (m_limits.secondsLeft() > 0) {
        const GrowingProgram::Solution master =
            m_program->solve(std::max(kLeastSeconds, m_limits.secondsLeft()));
        if (!master.optimal)
            break;
        choose(master.values);
        // No prices add up to more than the program's value.
        const double most = master.value * m_upper;
        if (m_bound >= most * (1 - kConverged) || m_bound >= m_upper * kClosed ||
            (most < m_upper * kClosed && most - m_bound <= kCloseEnough * (m_upper - most)))
            break;
        const double old = m_priced ? smoothing : 0;
        Prices prices(m_demands.size());
        for (std::size_t i = 0; i < prices.size(); ++i)
            prices[i] = old * m_prices[i] + (1 - old) * std::max(master.prices[i], 0.0) * m_upper;
        const std::optional<OverpricedList> found = overpriced(prices);
        if (!found)
            break;
        OverpricedList added; // the program's own are overpriced by rounding only
        std::ranges::copy_if(*found, std::back_inserter(added), [this](const Overpriced& o) {
            return m_columns[o.column].program == ProofColumn::kNone;
        });
        added.resize(std::min(added.size(), kCountedARound));
        Prices valid = repaired(prices, *found);
        let(added, prices);
        adopt(std::move(valid));
        if (added.empty() && old == 0)
            break;
        constexpr double kLeastSmoothing = 0.1;
        smoothing = !added.empty() ? kSmoothing : old / 2 > kLeastSmoothing ? old / 2 : 0;
    }
    return m_priced;
}

/// The program has yet to be told.
void ProofColumns::sharpen(std::size_t column, CostModel& model)
{
    ProofColumn& c = m_columns[column];
    if (c.sharp || c.exact)
        return;
    const std::uint32_t program = c.program;
    if (!complete(c, model, true))
        c.least = c.reduced = std::numeric_limits<double>::infinity();
    c.program = program;
}

bool ProofColumns::decideAll()
{
    constexpr std::size_t kAtOnce = 1 << 14;
    std::vector<ProofColumn> decided;
    std::vector<ProofColumn> todo(std::move(m_columns));
    m_columns.clear();
    bool all = true;
    while (!todo.empty() && all) {
        std::vector<ProofColumn> open;
        for (; !todo.empty() && open.size() < kAtOnce; todo.pop_back())
            (todo.back().decided() ? decided : open).push_back(todo.back());
        std::vector<Parts> parts(open.size());
        all = todo.size() + decided.size() < m_limits.columns &&
              forAll(open.size(),
                     [&](std::size_t thread, std::size_t i) { parts[i] = split(open[i], m_models[thread]); });
        if (!all)
            todo.insert(todo.end(), open.begin(), open.end());
        for (std::size_t i = 0; i < open.size() && all; ++i) {
            retire(open[i]);
            todo.insert(todo.end(), parts[i].part.begin(),
                        parts[i].part.begin() + static_cast<std::ptrdiff_t>(parts[i].count));
        }
    }
    m_columns = std::move(decided);
    m_columns.insert(m_columns.end(), todo.begin(), todo.end());
    if (all && m_columns.size() <= kAtOnce) // as many as there is time for
        (void)forAll(m_columns.size(),
                     [&](std::size_t thread, std::size_t i) { sharpen(i, m_models[thread]); });
    for (const ProofColumn& c : m_columns)
        if (c.program != ProofColumn::kNone)
            m_program->setCost(c.program, std::min(c.least / m_upper, kOutOfReach));
    strike();
    return all;
}

void ProofColumns::raise(const std::vector<std::size_t>& which,
                         const std::function<void(ProofColumn&)>& visit)
{
    for (const std::size_t i : which) {
        ProofColumn& c = m_columns[i];
        visit(c);
        c.reduced = slack(c, m_prices).value();
        if (c.program != ProofColumn::kNone)
            m_program->setCost(c.program, std::min(c.least / m_upper, kOutOfReach));
    }
    strike();
}

std::vector<std::size_t> ProofColumns::inexact(std::size_t most) const
{
    std::vector<std::size_t> out, others;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (const ProofColumn& c = m_columns[i]; !c.exact && (c.counts || c.decided()))
            (c.counts ? out : others).push_back(i);
    if (out.empty())
        return out;
    std::ranges::stable_sort(others, {}, [this](std::size_t i) { return m_columns[i].reduced; });
    others.resize(std::min(others.size(), most - std::min(most, out.size())));
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

double ProofColumns::rest(ProofMask slow, ProofMask resident) const
{
    double sum = 0;
    ProofMask write = m_graph.outputs & ~slow;
    ProofMask all = write;
    for (ProofMask todo = all; todo != 0;) {
        const std::size_t i = lowestBit(todo);
        todo &= todo - 1;
        sum += m_prices[m_runs[i]];
        std::size_t at = 0;
        forEachBit(m_graph.inputs[i], [&](std::size_t input) {
            const std::size_t row = m_reaches[i][at++];
            if ((slow & ProofGraph::bit(input)) == 0)
                sum += m_prices[row];
        });
        const ProofMask bases = m_graph.bases[i] & ~slow;
        write |= bases;
        const ProofMask more = (bases | (m_graph.inputs[i] & ~slow & ~resident)) & ~all;
        all |= more;
        todo |= more;
    }
    forEachBit(write, [&](std::size_t i) { sum += m_prices[m_written[i]]; });
    forEachBit(resident, [&](std::size_t i) {
        if (m_handed[i] != kNoRow)
            sum -= m_prices[m_handed[i]];
    });
    return std::max(sum, 0.0);
}

double ProofColumns::leastBetween(ProofMask ops, ProofMask resident, ProofMask retained)
{
    const std::vector<OpId> list = m_graph.opsOf(ops);
    const std::vector<TensorId> before = m_graph.outputsOf(resident);
    const std::vector<TensorId> after = m_graph.outputsOf(retained);
    CostModel& model = m_models.front();
    if (!model.compile(list, {.resident = before, .retained = after}))
        return 0;
    return model.leastByDepth();
}

} // namespace tilewright
