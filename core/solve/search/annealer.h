// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/search/annealer_moves.h"
#include "solve/search/recombine.h"

namespace tilewright {

/// Simulated annealing over plans. Its moves (makeMove()) fuse, split, move, recompute, reorder and retain.
class Annealer
{
public:
    Annealer(SubgraphPool& pool, std::uint64_t seed);

    /// Called within long steps; once it is false they end early, with a valid plan.
    void setKeepGoing(std::function<bool()> keepGoing) { m_keepGoing = std::move(keepGoing); }

    void setCurrent(const Plan& plan);
    [[nodiscard]] const Plan& current() const noexcept { return m_current; }
    /// The incumbent.
    [[nodiscard]] const Plan& best() const noexcept { return m_best; }

    /// Empties the pool, which holds every op set ever tried, once it is large; only the sets of the two
    /// plans stay. True when it did so: ids of other sets are invalid then.
    bool tidy();

    /// Tries one random move; accepts a worse plan with probability exp(-loss / temperature).
    /// True when the best plan improved.
    bool step(double temperature);

    /// Makes the current plan better by tilewright::replanExactly(). True when the best plan improved.
    bool replanExactly(std::size_t maxOps);

    /// Gives the best plan the places in which `other`, settled in the same pool, is better
    /// (tilewright::recombine()). True when the best plan improved.
    bool recombine(const Plan& other) { return tilewright::recombine(m_pool, m_settler, m_best, other); }

    /// Thorough search for the tilings of a settled plan's subgraphs: of those that have not had it, or of
    /// all (which the pool remembers).
    void refine(Plan& plan, bool all = false);

private:
    void index();

    SubgraphPool& m_pool;
    PlanSettler m_settler;
    RandomGenerator m_random;
    Plan m_current, m_best;
    Plan m_next; ///< the current plan after a move
    std::function<bool()> m_keepGoing = [] { return true; };
    bool m_isIndexed = false;
    PlanIndex m_index; ///< of the current plan
};

} // namespace tilewright
