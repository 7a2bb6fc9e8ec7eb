// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tilewright {

/// How much of which row of a cover something achieves.
struct Achieved
{
    std::size_t row;
    double amount;
};

struct CoverColumn
{
    double cost = 0;
    const std::vector<Achieved>* achieves = nullptr;
    bool first = false; ///< looked at from the start
};

struct CoverPrices
{
    double value = 0;           ///< no cover costs less
    std::vector<double> prices; ///< by row; times what is demanded of the rows they add up to the value
    std::vector<std::pair<std::size_t, double>> shares; ///< the cheapest cover: columns, how much of each
};

/// Prices for the rows of a cover, each of which demands `demands[row]` at least, that no column exceeds. The
/// best ones when `secondsLeft` lets it finish; in any case they hold for every column.
[[nodiscard]] CoverPrices priceCover(const std::vector<double>& demands,
                                     const std::vector<CoverColumn>& columns,
                                     const std::function<double()>& secondsLeft);

} // namespace tilewright
