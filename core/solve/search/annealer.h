// SPDX-License-Identifier: GPL-3.0-or-later
// The annealer, its moves and its larger neighbourhoods.
#pragma once

#include "solve/plan/plan.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// Recombination of two valid plans of one pool: copies the regions in which `other` is faster into `best`,
/// one by one, as long as each copy reduces the total latency. A region is the smallest group of subgraphs
/// that run the same ops in both plans. Returns true if `best` improved.
bool recombine(SubgraphPool& pool, PlanRepair& repair, Plan& best, const Plan& other);

/// For each op, the entries of a plan that run it.
using PlanIndex = std::vector<std::vector<std::uint32_t>>;

/// Changes a plan by one random annealing move. `index` is the index of the unchanged plan. PlanRepair has
/// to make the result valid. Returns false if the drawn move is impossible.
[[nodiscard]] bool makeMove(SubgraphPool& pool, const PlanIndex& index, Plan& plan, RandomGenerator& random);

/// Large neighbourhood: replans a random group of neighbouring subgraphs with at most `maxOps` ops by exact
/// search (solveExactly()). Returns a valid plan if it is better than `plan`, otherwise nothing. Ends early
/// when `keepGoing` returns false.
[[nodiscard]] std::optional<Plan> replanExactly(SubgraphPool& pool, PlanRepair& repair,
                                                const PlanIndex& index, const Plan& plan, std::size_t maxOps,
                                                RandomGenerator& random,
                                                const std::function<bool()>& keepGoing);

/// Simulated annealing over plans. The moves (makeMove()) fuse and split subgraphs, shift and recompute ops,
/// reorder subgraphs, and change retained tensors.
class Annealer
{
public:
    Annealer(SubgraphPool& pool, std::uint64_t seed);

    /// Sets a callback, which is polled by long steps. When it returns false, they end early with a valid
    /// plan.
    void setKeepGoing(std::function<bool()> keepGoing) { m_keepGoing = std::move(keepGoing); }

    void setCurrent(const Plan& plan);
    [[nodiscard]] const Plan& current() const noexcept { return m_current; }
    /// The incumbent.
    [[nodiscard]] const Plan& best() const noexcept { return m_best; }

    /// Empties the pool of op sets if it has become too large; only the sets of the current and the best plan
    /// stay. Ids of all other sets are then invalid.
    void clearLargePool();

    /// Tries one random move; accepts a worse plan with probability exp(-loss / temperature). Returns true if
    /// the best plan improved.
    bool step(double temperature);

    /// Improves the current plan by tilewright::replanExactly(). Returns true if the best plan improved.
    bool replanExactly(std::size_t maxOps);

    /// Copies the regions of `other` that are faster into the best plan (tilewright::recombine()). `other`
    /// must be a valid plan of the same pool. Returns true if the best plan improved.
    bool recombine(const Plan& other) { return tilewright::recombine(m_pool, m_repair, m_best, other); }

    /// Searches thoroughly for the tilings of the subgraphs of a valid plan: for all of them, or only for
    /// those without such a search so far. The pool stores the results.
    void refine(Plan& plan, bool all = false);

private:
    void index();

    SubgraphPool& m_pool;
    PlanRepair m_repair;
    RandomGenerator m_random;
    Plan m_current, m_best;
    Plan m_next; ///< current plan after a move
    std::function<bool()> m_keepGoing = [] { return true; };
    bool m_isIndexed = false;
    PlanIndex m_index; ///< for each op, the entries of the current plan that run it
};

} // namespace tilewright
