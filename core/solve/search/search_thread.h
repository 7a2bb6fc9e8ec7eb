// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/column_generation.h"
#include "solve/search/annealer.h"
#include "solve/search/shared_search.h"

namespace tilewright {

/// One thread of a search: first plans, then rounds of column generation and annealing with exact replanning
/// and recombination until the time is over. The first thread of a small problem also tries an exact proof.
class SearchThread
{
public:
    SearchThread(SharedSearch& shared, int number);
    void run();

private:
    /// The extent of a round of annealing.
    struct Round
    {
        double start = 0;       ///< second
        double seconds = 0;     ///< that it may take ...
        std::int64_t steps = 0; ///< ... or steps, where these are limited
        double average = 0;     ///< latency of a subgraph at its start
        double hot = 0;         ///< temperature at its start, in average latencies
        bool generates = false; ///< it may begin with column generation
    };
    [[nodiscard]] bool keepGoing();
    [[nodiscard]] bool isFirst() const { return m_number == 0; }
    void setPhase(SolvePhase phase);
    [[nodiscard]] bool makeFirstPlans();
    void searchRounds();
    [[nodiscard]] Round roundOf(int number) const;
    void anneal(const Round& round);
    void generateColumns(const Round& round);
    void takeOver();
    void prove();
    void publishBest() { m_shared.publish(m_pool, m_annealer.best()); }

    SharedSearch& m_shared;
    const Problem& m_problem;
    const SolveOptions& m_options;
    int m_number;
    SubgraphPool m_pool;
    PlanSettler m_settler;
    Annealer m_annealer;
    ColumnGeneration m_columns;
    bool m_isCombinable;      ///< column generation can be used
    bool m_isProvable = false; ///< this thread is to try a proof
    std::int64_t m_steps = 0;
    double m_published = 0; ///< second of the last improvement that was published at once
    SharedSearch::Counts m_reported, m_columnsReported;
};

} // namespace tilewright
