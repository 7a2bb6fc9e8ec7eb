// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/search.h"

#include "hierarchy/branch_search.h"
#include "hierarchy/imperfect_search.h"
#include "mapping/search_frame.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilewright::hierarchy {

namespace {

constexpr std::size_t kMostBranches = 400'000;
/// Number of branches whose bounds are computed before the first dives.
constexpr std::size_t kFirstBranches = 2000;
constexpr std::size_t kMostStates = 250'000; ///< largest number of states of a branch that can be settled
// Numbers of tilings at the start of the search: few for the first branch, then more for the best branches.
constexpr std::size_t kFirstStates = 300;
constexpr std::size_t kDiveStates = 4000, kDiveBranches = 24;

class Searcher
{
public:
    Searcher(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : m_nest(nest), m_architecture(architecture), m_options(options), m_run(options),
          m_all(boundOfAll(nest, architecture))
    {
    }

    SearchResult run()
    {
        m_feasible = findMapping(m_nest, m_architecture, m_options.constraints);
        if (m_feasible.reason)
            return result();
        SpatialChoices choices = listSpatial(m_nest, m_architecture, kMostBranches, m_options.constraints);
        m_isListed = choices.complete;
        m_branches.resize(choices.list.size());
        for (std::size_t i = 0; i < m_branches.size(); ++i) {
            m_branches[i] = m_all;
            m_branches[i].choice = std::move(choices.list[i]);
            m_branches[i].cycles = std::max(m_all.cycles, computeOf(m_branches[i].choice));
        }
        sortBranches();
        boundBranches(std::min(kFirstBranches, m_branches.size()));
        startOff();
        const std::vector<std::size_t> dives = branchesToDive();
        inThreads(dives.size(), [&](BranchSearch& search, std::size_t i) {
            search.dive(m_branches[dives[i]], kDiveStates);
        });
        boundBranches(m_branches.size());
        for (const Branch& branch : m_branches)
            m_open.push_back({{}, branch.energy, branch.cycles});
        inThreads(m_branches.size(), [&](BranchSearch& search, std::size_t i) {
            if (m_options.quick)
                search.cut(m_branches[i]);
            else
                search.settle(m_branches[i], kMostStates);
        });
        return result();
    }

private:
    /// Number of steps of the MACs with these spatial factors.
    [[nodiscard]] double computeOf(const SpatialChoice& choice) const
    {
        auto out = static_cast<double>(m_nest.macs);
        for (const Factors& factors : choice)
            for (const std::int64_t factor : factors)
                out /= static_cast<double>(factor);
        return out;
    }

    /// Sorts branches by their bounds, the best first. Branches with only a bound from the MACs come last.
    void sortBranches()
    {
        std::ranges::stable_sort(m_branches, {}, [&](const Branch& b) {
            return std::pair(!b.isBounded, b.value(m_options.objective.value_or(Objective::Edp)));
        });
    }

    /// Computes the bounds of the branches before `end` that the mappings found do not settle already.
    void boundBranches(std::size_t end)
    {
        m_run.inThreads(end, [&](const auto& next) {
            Cutter cutter(m_run.found());
            for (std::size_t i = next(); i < end && !m_run.isOver(); i = next())
                if (Branch& branch = m_branches[i];
                    !branch.isBounded && !cutter.isSettled(branch.energy, branch.cycles))
                    boundQuickly(m_nest, m_architecture, branch);
        });
        sortBranches();
    }

    /// Returns the branches with the best bounds, and those that use most of the axes.
    [[nodiscard]] std::vector<std::size_t> branchesToDive() const
    {
        std::vector<std::size_t> out(m_branches.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = i;
        out.resize(std::min(kFirstBranches, out.size()));
        const std::size_t each = std::min(kDiveBranches, out.size());
        std::ranges::stable_sort(out, {}, [&](std::size_t i) { return m_branches[i].cycles; });
        out.resize(each);
        for (std::size_t i = 0; i < each; ++i)
            if (std::ranges::find(out, i) == out.end())
                out.push_back(i);
        return out;
    }

    /// Finds a first mapping, whatever the time limit is.
    void startOff()
    {
        BranchSearch search(m_nest, m_architecture, m_options.constraints, m_run.found(),
                            [this] { return m_run.isStopped(); });
        if (m_options.constraints.any() && m_feasible.mapping) {
            const Cost cost = evaluate(m_nest, m_architecture, *m_feasible.mapping);
            m_run.found().add(cost.energy, cost.cycles, [this] { return *m_feasible.mapping; });
        }
        for (Branch& branch : m_branches) {
            if (!m_run.found().isEmpty() || m_run.isStopped())
                break;
            if (!branch.isBounded)
                boundQuickly(m_nest, m_architecture, branch);
            search.dive(branch, kFirstStates);
        }
        m_run.take(search.counts());
    }

    /// Calls work(search, i) for i from 0 to `count` - 1 in all threads, and reports the progress.
    template <typename Work> void inThreads(std::size_t count, const Work& work)
    {
        m_run.inThreads(count, [&](const auto& next) {
            BranchSearch search(m_nest, m_architecture, m_options.constraints, m_run.found(),
                                [this] { return m_run.isOver(); });
            for (std::size_t i = next(); i < count; i = next())
                work(search, i);
            m_run.take(search.counts());
        });
    }

    SearchResult result() const
    {
        SearchResult out = m_run.result();
        out.proven = m_isListed &&
                     std::ranges::all_of(m_branches, [](const Branch& b) { return b.energy == kInfinite; });
        out.none = m_feasible.reason;
        out.interrupted = !out.proven && m_run.isStopped();
        for (std::size_t o = 0; o < kObjectives; ++o)
            out.lowerBound[o] = leastOf(static_cast<Objective>(o), out);
        return out;
    }

    /// Lower bound of the objective over the whole space. A branch that is settled for the objective of the
    /// search may have better mappings for another objective, so for that one the first bounds count.
    [[nodiscard]] double leastOf(Objective objective, const SearchResult& out) const
    {
        const auto& best = out.of(objective);
        double least = best ? best->value(objective) : kInfinite;
        const bool isAsked = !m_options.objective || *m_options.objective == objective;
        if (!m_isListed)
            least = std::min(least, m_all.value(objective));
        for (const Branch& b : isAsked ? m_branches : m_open)
            least = std::min(least, b.value(objective));
        return least < kInfinite ? least : 0;
    }

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const SearchOptions& m_options;
    SearchRun m_run;
    Branch m_all; ///< bounds of the whole space
    Feasible m_feasible;
    bool m_isListed = true;
    std::vector<Branch> m_branches; ///< branches, those with the best bounds first
    std::vector<Branch> m_open;     ///< first bounds of all branches, without their spatial factors
};

} // namespace

bool SearchResult::isOptimal(Objective objective) const noexcept
{
    const auto& found = of(objective);
    return found && found->value(objective) <=
                        lowerBound[static_cast<std::size_t>(objective)] * (1 + mapping::kEnergyTolerance);
}

double SearchResult::gap(Objective objective) const noexcept
{
    if (isOptimal(objective))
        return 0;
    const double least = lowerBound[static_cast<std::size_t>(objective)];
    if (!of(objective) || least <= 0)
        return kInfinite;
    return of(objective)->value(objective) / least - 1;
}

SearchResult search(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
{
    return architecture.imperfect ? searchImperfect(nest, architecture, options)
                                  : Searcher(nest, architecture, options).run();
}

} // namespace tilewright::hierarchy
