// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cover_prices.h"

#include "solve/linear_program.h"

#include <algorithm>
#include <numeric>

namespace tilewright {

namespace {

using Row = LinearProgram::Row;

/// Prices are looked for a little below the costs, so that rounding does not make them too high.
constexpr double kBelow = 1 - 1e-9;
constexpr int kMostRounds = 200;
constexpr std::size_t kAddedARound = 300;
constexpr std::size_t kAllAtOnce = 2000;
constexpr double kTolerance = 1e-9;

LinearProgram programOf(const std::vector<double>& demands, const std::vector<CoverColumn>& columns,
                        const std::vector<std::size_t>& chosen, double unit)
{
    LinearProgram out;
    for (const double demand : demands)
        (void)out.addRow(demand);
    for (const std::size_t i : chosen) {
        const auto column = out.addColumn(columns[i].cost / unit);
        std::vector<Row> demanded, all;
        for (const Achieved& a : *columns[i].achieves) {
            out.add(a.row, column, a.amount);
            if (a.amount <= 0)
                continue;
            all.push_back(a.row);
            if (demands[a.row] > 0)
                demanded.push_back(a.row);
        }
        // Only rows that demand nothing may have other signs in other columns: these first.
        if (all.size() > demanded.size())
            out.repairBy(column, all, 0);
        out.repairBy(column, demanded, 1);
    }
    return out;
}

/// Columns whose prices are above their cost, the worst first.
std::vector<std::size_t> overpriced(const std::vector<CoverColumn>& columns,
                                    const std::vector<double>& prices, double unit)
{
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        double sum = -columns[i].cost / unit;
        for (const Achieved& a : *columns[i].achieves)
            sum += a.amount * prices[a.row];
        if (sum > kTolerance)
            found.emplace_back(sum, i);
    }
    std::ranges::stable_sort(found, std::greater<>(), &std::pair<double, std::size_t>::first);
    std::vector<std::size_t> out;
    out.reserve(found.size());
    for (const auto& [by, column] : found)
        out.push_back(column);
    return out;
}

} // namespace

CoverPrices priceCover(const std::vector<double>& demands, const std::vector<CoverColumn>& columns,
                       const std::function<double()>& secondsLeft)
{
    CoverPrices out;
    double most = 0;
    for (const CoverColumn& c : columns)
        most = std::max(most, c.cost);
    if (most <= 0)
        return out;
    std::vector<std::size_t> all(columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::size_t> chosen;
    std::vector<char> isChosen(columns.size());
    const auto choose = [&](std::size_t i) {
        if (isChosen[i] == 0)
            chosen.push_back(i);
        isChosen[i] = 1;
    };
    for (const std::size_t i : all)
        if (columns[i].first || columns.size() <= kAllAtOnce)
            choose(i);
    std::vector<double> prices(demands.size());
    for (int round = 0; round < kMostRounds; ++round) {
        constexpr double kLeast = 0.05;
        const LinearProgram::Solution solution =
            programOf(demands, columns, chosen, most / kBelow).solve(std::max(kLeast, secondsLeft()));
        if (!solution.optimal)
            break;
        prices = solution.prices;
        out.shares.clear();
        for (std::size_t i = 0; i < chosen.size(); ++i)
            if (constexpr double kShare = 1e-6; solution.values[i] > kShare)
                out.shares.emplace_back(chosen[i], solution.values[i]);
        const std::size_t before = chosen.size();
        for (const std::size_t i : overpriced(columns, prices, most / kBelow))
            if (chosen.size() < before + kAddedARound)
                choose(i);
        if (chosen.size() == before || secondsLeft() <= 0)
            break;
    }
    const LinearProgram whole = programOf(demands, columns, all, most);
    out.prices = prices;
    double value = whole.certify(out.prices);
    if (value < 0) { // without what is kept from one to the next every price can be lowered
        out.prices = std::move(prices);
        for (std::size_t i = 0; i < demands.size(); ++i)
            out.prices[i] = demands[i] > 0 ? out.prices[i] : 0;
        value = whole.certify(out.prices);
    }
    out.value = std::max(value, 0.0) * most;
    for (double& price : out.prices)
        price *= most;
    return out;
}

} // namespace tilewright
