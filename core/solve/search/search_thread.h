// SPDX-License-Identifier: GPL-3.0-or-later
// A search thread, and the state that all search threads share with the calling thread.
#pragma once

#include "solve/plan/plan.h"
#include "solve/plan/solve_options.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright {

/// State that the calling thread and the search threads of one solve() share.
class SharedSearch
{
public:
    SharedSearch(const Problem& problem, const SolveOptions& options, const Price& price = {});

    /// Returns the seconds since the start of the search.
    [[nodiscard]] double now() const { return clock() - m_started; }
    /// True if the search has to end. Blocks while the search is paused.
    [[nodiscard]] bool outOfTime() const;
    /// Ends the search with a proof that the incumbent is optimal; `space` describes the schedules that the
    /// proof covers.
    void setProven(const std::string& space);

    /// Makes the plan the incumbent of all threads if it is better than the present one.
    void publish(const SubgraphPool& pool, const Plan& plan);
    struct Incumbent
    {
        PortablePlan plan;
        double total = std::numeric_limits<double>::infinity();
        std::uint64_t number = 0; ///< number of the incumbent, counted from 1; 0 = none yet
    };
    [[nodiscard]] Incumbent incumbent();

    /// The counts of a SubgraphPool that have already been added to the shared counters.
    struct Counts
    {
        std::int64_t evaluations = 0;
        std::int64_t lookups = 0;
    };
    /// Adds the counts of the pool that are not in `reported` to the shared counters, and updates `reported`.
    void count(const SubgraphPool& pool, Counts& reported);

    /// Returns the columns that other threads have shared.
    [[nodiscard]] std::vector<PortableSet> columnsOfOthers(int thread);
    void shareColumns(int thread, std::vector<PortableSet> columns);

    const Problem& problem;
    const SolveOptions& options;
    const double energyBound;  ///< lower bound of the energy of every schedule, in pJ
    std::atomic<double> bound; ///< lower bound of the latency: the quick bound, later that of a proof
    /// Lower bound of the price of every schedule.
    [[nodiscard]] double priceBound() const { return memo.price().of(bound, energyBound); }
    StartPlan start;
    TilingMemo memo;
    std::atomic<bool> halt{false};
    std::atomic<double> deadline{std::numeric_limits<double>::infinity()};
    std::atomic<std::int64_t> evaluations{0}, lookups{0}, steps{0};
    // Current activity of the first search thread.
    std::atomic<SolvePhase> phase{SolvePhase::Starting};
    std::atomic<int> round{0};
    std::atomic<double> proofUntil{0};

    // Protects the members below; `wake` announces their changes.
    std::mutex mutex;
    std::condition_variable wake;
    Incumbent best;
    int working = 0; ///< number of search threads that are still running
    bool proven = false;
    std::string provenSpace;

private:
    [[nodiscard]] double clock() const;

    const double m_started;
    std::vector<std::vector<PortableSet>> m_columns; ///< shared columns of each thread
};

/// Runs one search thread: first plans, then rounds of column generation and annealing with exact replanning
/// and recombination until the time limit. Thread 0 also tries an exact proof if the problem is small.
void runSearchThread(SharedSearch& shared, int number);

} // namespace tilewright
