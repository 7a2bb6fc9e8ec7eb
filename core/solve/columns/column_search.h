// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/columns/plan_columns.h"

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// A subgraph that plans may consist of, by itself: ids of a pool do not last.
struct KnownColumn
{
    std::vector<OpId> ops;
    std::vector<TensorId> resident, retain;
};

/// Which subgraphs of a plan may be others.
struct PlanWindow
{
    std::size_t first = 0;
    std::size_t count = 0;
};

/// Looks for plans by what their subgraphs are worth: prices of ops and tensors from a linear relaxation over
/// the columns known so far (PlanColumns), columns that cost less than that (ColumnWalk), plans put together
/// of them (combineColumns()); where these lack something, first subgraphs are settled and the rest is priced
/// anew (branch and price, from the front). In large problems the same is done for windows, too: some
/// subgraphs in a row, while those before and after them stay. Unlike annealing it changes many subgraphs at
/// once, because each is judged by prices alone.
class ColumnSearch
{
public:
    /// In larger problems there are windows, too.
    static constexpr std::size_t kWholeOps = 110;

    /// For problems with at most PlanColumns::kMostOps ops, none locked. `keepGoing`: asked often, also
    /// within searches for tilings; when it says no all ends soon.
    ColumnSearch(const Problem& problem, const Rules& rules, TilingMemo& memo, std::uint64_t seed,
                 std::function<bool()> keepGoing);

    /// Some plans that are about as good as `best`, a settled one, or better, and settled, too: all of
    /// `pool`. `used(rounds)`: what share of the time is over after so many rounds of new columns; it ends
    /// soon after 1, or when nothing better is in sight.
    [[nodiscard]] std::vector<Plan> plansNear(SubgraphPool& pool, const Plan& best,
                                              const std::function<double(std::int64_t)>& used);

    /// The most useful columns.
    [[nodiscard]] const std::vector<KnownColumn>& known() const noexcept { return m_known; }
    void learn(const std::vector<KnownColumn>& columns)
    {
        m_known.insert(m_known.end(), columns.begin(), columns.end());
    }
    /// What a plan of `pool` consists of. Cheap, so that it can be told often.
    void learn(const SubgraphPool& pool, const Plan& plan);
    /// Ids of the pool that plans were told of are others now.
    void forgetIds() { m_told.clear(); }
    /// Where it counts what it has looked at.
    [[nodiscard]] const SubgraphPool& pool() const noexcept { return m_pool; }

private:
    /// All plans are of m_pool.
    [[nodiscard]] std::vector<Plan> search(Plan best, const std::function<double(std::int64_t)>& used);
    /// Window after window of `best`, or of the first of `plans`, until the time is over.
    void searchWindows(Plan best, std::int64_t rounds, const std::function<double(std::int64_t)>& used,
                       std::vector<Plan>& plans);
    /// Of the next session.
    [[nodiscard]] PlanColumns::Repeats repeats() const;
    /// Some of its subgraphs, anywhere.
    [[nodiscard]] PlanWindow windowOf(const Plan& plan);

    std::function<bool()> m_keepGoing;
    SubgraphPool m_pool;
    std::uint64_t m_seed;
    bool m_isLoose = false; ///< PlanColumns::Repeats::Likely says too little of this problem
    RandomGenerator m_random;
    std::vector<KnownColumn> m_known;
    std::unordered_set<PlanColumn, PlanColumn::Hash> m_told;
};

} // namespace tilewright
