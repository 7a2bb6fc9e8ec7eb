// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/plan/plan.h"
#include "solve/search/recombine.h"

#include <cstdint>
#include <functional>

namespace tilewright {

/// Simulated annealing over plans. Its moves (annealer_moves.cpp) fuse, split, move, recompute, reorder and
/// retain; a larger neighbourhood replans a group of subgraphs exactly (exact_replan.cpp).
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

    /// Replans a group of neighbouring subgraphs of the current plan, at most `maxOps` ops, by an exact
    /// search (solveExactly()); keeps the result when it is better. True when the best plan improved.
    bool replanExactly(std::size_t maxOps);

    /// Gives the best plan the places in which `other`, settled in the same pool, is better
    /// (tilewright::recombine()). True when the best plan improved.
    bool recombine(const Plan& other) { return tilewright::recombine(m_pool, m_settler, m_best, other); }

    /// Thorough search for the tilings of a settled plan's subgraphs: of those that have not had it, or of
    /// all (which the pool remembers).
    void refine(Plan& plan, bool all = false);

private:
    [[nodiscard]] bool propose();
    void index();
    [[nodiscard]] const std::vector<std::uint32_t>& holders(OpId o) const { return m_holders[o.index()]; }
    [[nodiscard]] bool isLocked(SetId set) const { return m_pool.set(set).lock >= 0; }
    void replace(std::uint32_t entry, std::vector<OpId> ops);
    void setRetain(std::uint32_t entry, RetainId retain);
    void erase(std::uint32_t entry);
    [[nodiscard]] std::vector<OpId> partWithout(SetId set, OpId o, TensorId t) const;
    [[nodiscard]] bool proposeAcross(std::uint32_t a, std::uint32_t b, OpId oa, TensorId via);
    [[nodiscard]] bool proposeInside(std::uint32_t a, OpId o, TensorId via);
    [[nodiscard]] bool proposeRetain();
    [[nodiscard]] bool proposeRuin();
    [[nodiscard]] bool proposeRelocate();
    void retainAround();
    void follow(std::uint32_t first, std::uint32_t second, RetainId retain);
    [[nodiscard]] std::vector<std::uint32_t> pickGroup(std::size_t maxOps);

    SubgraphPool& m_pool;
    PlanSettler m_settler;
    RandomGenerator m_random;
    Plan m_current, m_best;
    Plan m_next; ///< the current plan after a move
    std::function<bool()> m_keepGoing = [] { return true; };
    bool m_indexed = false;
    std::vector<std::vector<std::uint32_t>> m_holders; ///< by op: entries of the current plan that run it
};

} // namespace tilewright
