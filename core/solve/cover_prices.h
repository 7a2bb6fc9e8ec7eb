// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cover_columns.h"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tilewright {

struct CoverPrices
{
    double value = 0;           ///< no cover costs less
    std::vector<double> prices; ///< by row; times what is demanded of the rows they add up to the value
    std::vector<std::pair<std::size_t, double>> shares; ///< the cheapest cover: columns, how much of each
};

/// Prices for the rows of a cover that no column exceeds; of the columns what prices turn on is decided, so
/// they become more. The best prices when `secondsLeft` lets it finish; in any case they hold. `start`: by
/// row, as many as are known, prices that may be near them.
[[nodiscard]] CoverPrices priceCover(CoverColumns& cover, std::vector<CoverColumns::Column>& columns,
                                     std::size_t weight, const std::vector<double>& start,
                                     std::size_t threads, const std::function<double()>& secondsLeft);

} // namespace tilewright
