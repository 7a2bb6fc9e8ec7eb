// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/columns/master_problem.h"

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// Column generation: solves the restricted master problem over the columns known so far (MasterProblem),
/// prices new columns by its dual prices (PricingWalk), and puts plans together from the columns by a beam
/// search (combineColumns()). Where these lack something, it branches on the first subgraphs of plans and
/// prices anew behind them: a heuristic branch and price. In large problems it also works on stretches of a
/// plan, some subgraphs in a row, while those before and after them stay fixed.
class ColumnGeneration
{
public:
    /// Problems of more ops are also searched by stretches.
    static constexpr std::size_t kWholeOps = 110;

    /// For problems with at most MasterProblem::kMostOps ops, none locked. `keepGoing` is called often, also
    /// within searches for tilings; once it is false all ends soon.
    ColumnGeneration(const Problem& problem, const Rules& rules, TilingMemo& memo, std::uint64_t seed,
                     std::function<bool()> keepGoing);

    /// Share of the time that is over after so many rounds of pricing.
    using TimeUsed = std::function<double(std::int64_t rounds)>;

    /// Some plans about as good as `best` or better; all are settled and of `pool`. Ends soon after `used` is
    /// 1, or when nothing better is in sight.
    [[nodiscard]] std::vector<Plan> plansNear(SubgraphPool& pool, const Plan& best, const TimeUsed& used);

    /// The columns with the least reduced costs at the end of the last search.
    [[nodiscard]] const std::vector<PortableSet>& known() const noexcept { return m_known; }
    /// Adds columns for the next searches.
    void learn(const std::vector<PortableSet>& columns)
    {
        m_known.insert(m_known.end(), columns.begin(), columns.end());
    }
    /// Adds the columns of a plan of `pool`. Cheap: those that it was given before cost nothing.
    void learn(const SubgraphPool& pool, const Plan& plan);
    /// To be called when the ids of that pool have changed.
    void forgetIds() { m_learnt.clear(); }
    /// The own pool, whose counters say what was looked at.
    [[nodiscard]] const SubgraphPool& pool() const noexcept { return m_pool; }

private:
    // Plans are of m_pool.
    [[nodiscard]] std::vector<Plan> search(Plan best, const TimeUsed& used);
    void searchStretches(Plan best, std::int64_t rounds, const TimeUsed& used, std::vector<Plan>& plans);
    [[nodiscard]] MasterProblem::Repeats repeats() const;
    [[nodiscard]] PlanStretch randomStretch(const Plan& plan);

    std::function<bool()> m_keepGoing;
    SubgraphPool m_pool;
    std::uint64_t m_seed;
    bool m_isLoose = false; ///< the relaxation with Repeats::Likely is too weak for this problem
    RandomGenerator m_random;
    std::vector<PortableSet> m_known;
    std::unordered_set<PlannedSet, PlannedSet::Hash> m_learnt; ///< columns of the plans, by ids of their pool
};

} // namespace tilewright
