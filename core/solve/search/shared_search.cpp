// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/shared_search.h"

#include "base/wall_clock.h"
#include "eval/lower_bound.h"

#include <chrono>
#include <thread>

namespace tilewright {

SharedSearch::SharedSearch(const Problem& of, const SolveOptions& with)
    : problem(of), options(with), bound(lowerBound(of, with.rules).value), m_started(clock())
{
    if (options.start)
        start = startPlan(*options.start, options.selection);
}

double SharedSearch::clock() const
{
    return options.clock ? options.clock() : wallClock();
}

bool SharedSearch::outOfTime() const
{
    while (options.paused && options.paused() && !halt && !options.stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return halt.load(std::memory_order_relaxed) || options.stop.stop_requested() ||
           now() >= deadline.load(std::memory_order_relaxed);
}

void SharedSearch::setProven(const std::string& space)
{
    const std::scoped_lock lock(mutex);
    if (!proven)
        provenSpace = space;
    proven = true;
    halt = true;
    wake.notify_all();
}

void SharedSearch::publish(const SubgraphPool& pool, const Plan& plan)
{
    const std::scoped_lock lock(mutex);
    if (!(plan.total < best.total))
        return;
    best = {portable(pool, plan), plan.total, best.number + 1};
    wake.notify_all();
}

SharedSearch::Incumbent SharedSearch::incumbent()
{
    const std::scoped_lock lock(mutex);
    return best;
}

void SharedSearch::count(const SubgraphPool& pool, Counts& reported)
{
    evaluations += pool.evaluations() - reported.evaluations;
    lookups += pool.lookups() - reported.lookups;
    reported = {pool.evaluations(), pool.lookups()};
}

std::vector<PortableSet> SharedSearch::columnsOfOthers(int thread)
{
    const std::scoped_lock lock(mutex);
    std::vector<PortableSet> out;
    for (std::size_t i = 0; i < m_columns.size(); ++i)
        if (i != static_cast<std::size_t>(thread))
            out.insert(out.end(), m_columns[i].begin(), m_columns[i].end());
    return out;
}

void SharedSearch::shareColumns(int thread, std::vector<PortableSet> columns)
{
    const std::scoped_lock lock(mutex);
    m_columns.resize(std::max(m_columns.size(), static_cast<std::size_t>(thread) + 1));
    m_columns[static_cast<std::size_t>(thread)] = std::move(columns);
}

} // namespace tilewright
