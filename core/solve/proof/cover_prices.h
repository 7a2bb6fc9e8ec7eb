// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/cost/slack.h"
#include "solve/proof/cover_columns.h"
#include "solve/proof/set_cover.h"

#include <cstddef>
#include <cstdint>
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

/// Prices for the rows of a cover that exceed no column.
///
/// A linear program over the columns that have been overpriced so far. Its prices jump from round to round,
/// so those between them and the best ones so far are looked at. What these exceed is looked at more closely
/// and added, and lower ones that hold for all columns are made of them: every round ends with a bound.
class CoverPricer
{
public:
    using Prices = std::vector<double>; ///< by row of the cover

    /// `secondsLeft` is asked often, by the calling thread.
    CoverPricer(CoverColumns& cover, std::vector<CoverColumns::Column>& columns, std::size_t threads,
                const std::function<double()>& secondsLeft);

    /// Better prices, as long as there is time and there are some. `start`: by row, as many as are known,
    /// prices that may be near them.
    void improve(const Prices& start = {});
    /// More columns: the best prices so far become lower where these are overpriced.
    void add(std::vector<CoverColumns::Column> more);
    /// Prices no higher than these that hold for all columns, the overpriced of which are looked at closely;
    /// all 0 where there was no way. Only such are lower of which no column has a negative amount: what was
    /// not above its cost is not, whether it is a column here or not.
    [[nodiscard]] Prices held(const Prices& prices);
    [[nodiscard]] double valueOf(const Prices& prices) const;
    /// The best prices so far, and the cheapest cover.
    [[nodiscard]] CoverPrices best() const;
    /// The same by ops and groups of them.
    [[nodiscard]] SetCoverBound describe(const Problem& problem, const CoverPrices& prices) const;

private:
    [[nodiscard]] bool isDemanded(std::size_t row) const { return m_cover.demands()[row] > 0; }
    [[nodiscard]] double excess(const CoverColumns::Column& c, const Prices& prices) const
    {
        return -slack(c, prices).value();
    }
    void begin();
    void let(const std::vector<std::size_t>& which, const Prices& prices);
    struct Overpriced
    {
        std::vector<std::size_t> all;   ///< the worst first
        std::vector<std::size_t> added; ///< of which the program does not know
    };
    [[nodiscard]] Overpriced overpriced(const Prices& prices) const;
    /// Prices no higher than these that hold for all columns; worth nothing when there was no way.
    [[nodiscard]] Prices lowered(Prices prices, std::vector<std::size_t> found) const;
    bool lower(const CoverColumns::Column& c, Prices& prices, bool onlyDemanded = false) const;
    [[nodiscard]] Slack slack(const CoverColumns::Column& c, const Prices& prices) const
    {
        Slack out(c.least / m_unit);
        for (const Achieved& a : c.achieves)
            out.take(a.amount * prices[a.row]);
        return out;
    }
    /// Takes prices over that are better than those so far, if they hold for all columns.
    void adopt(Prices prices);

    CoverColumns& m_cover;
    std::vector<CoverColumns::Column>& m_columns;
    std::size_t m_threads;
    const std::function<double()>& m_secondsLeft;
    GrowingProgram m_program;
    std::vector<std::uint32_t> m_inProgram; ///< by column
    double m_unit = 0;
    Prices m_best;                ///< in units
    double m_value = 0;           ///< of these
    std::vector<double> m_shares; ///< of the cheapest cover, by column of the program
};

} // namespace tilewright
