// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/columns/master_problem.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

/// Column generation for plans: solves the restricted master problem over the known columns (MasterProblem),
/// finds new columns by its dual prices (PricingWalk), and builds plans from columns by beam search
/// (combineColumns()). If no better plan is found, it branches on the first subgraphs of plans and prices
/// again: a heuristic branch and price. In large problems it also searches stretches of a plan, i.e.
/// consecutive subgraphs, while the rest of the plan stays fixed.
class ColumnGeneration
{
public:
    /// Maximum number of ops of a problem for which only whole plans are searched. In larger problems,
    /// stretches of plans are searched as well.
    static constexpr std::size_t kWholeOps = 110;

    /// Requires a problem with at most MasterProblem::kMostOps ops and without locked subgraphs. `keepGoing`
    /// is called often, also within searches for tilings; after it returns false the search ends soon.
    ColumnGeneration(const Problem& problem, const Rules& rules, TilingMemo& memo, std::uint64_t seed,
                     std::function<bool()> keepGoing);

    /// Function that returns the share of the time limit that has passed, given the number of pricing rounds
    /// so far.
    using TimeUsed = std::function<double(std::int64_t rounds)>;

    /// Searches for plans that are better than `best` or about as good. All plans are valid and belong to
    /// `pool`. The search ends soon after `used` returns 1, or if no better plan can be expected.
    [[nodiscard]] std::vector<Plan> plansNear(SubgraphPool& pool, const Plan& best, const TimeUsed& used);

    /// Columns with the least reduced costs at the end of the last search.
    [[nodiscard]] const std::vector<PortableSet>& known() const noexcept { return m_known; }
    /// Adds columns for later searches.
    void addColumns(const std::vector<PortableSet>& columns)
    {
        m_known.insert(m_known.end(), columns.begin(), columns.end());
    }
    /// The internal pool; its counters show the work of this object.
    [[nodiscard]] const SubgraphPool& pool() const noexcept { return m_pool; }

private:
    // The set ids of the plans that search() and searchStretches() take and return belong to m_pool.
    [[nodiscard]] std::vector<Plan> search(Plan best, const TimeUsed& used);
    void searchStretches(Plan best, std::int64_t rounds, const TimeUsed& used, std::vector<Plan>& plans);
    [[nodiscard]] MasterProblem::Repeats repeats() const;
    [[nodiscard]] PlanStretch randomStretch(const Plan& plan);

    std::function<bool()> m_keepGoing;
    SubgraphPool m_pool;
    std::uint64_t m_seed;
    bool m_isLoose = false; ///< true if the relaxation with Repeats::Likely is too weak for this problem
    RandomGenerator m_random;
    std::vector<PortableSet> m_known;
};

} // namespace tilewright
