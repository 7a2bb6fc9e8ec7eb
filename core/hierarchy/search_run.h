// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "base/workers.h"
#include "hierarchy/found.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tilewright::hierarchy {

/// Numbers of costs and bounds computed, as in SearchResult.
struct SearchCounts
{
    std::int64_t tilings = 0, cut = 0, evaluations = 0;
};

/// A running search: its time limit, threads, progress and the mappings found.
class SearchRun
{
public:
    explicit SearchRun(const SearchOptions& options)
        : m_options(options), m_start(wallClock()), m_found(options.objective)
    {
    }

    [[nodiscard]] Found& found() noexcept { return m_found; }
    [[nodiscard]] bool isStopped() const { return m_options.stop.stop_requested(); }
    [[nodiscard]] bool isOver() const
    {
        return isStopped() || (m_options.seconds > 0 && seconds() > m_options.seconds);
    }
    [[nodiscard]] double seconds() const { return wallClock() - m_start; }

    /// Calls work(next) in all threads, and reports the progress. `next()` returns each number from 0 to
    /// `count` - 1 once, and then larger numbers.
    template <typename Work> void inThreads(std::size_t count, const Work& work)
    {
        const int threads = m_options.threads > 0
                                ? m_options.threads
                                : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        std::atomic<std::size_t> next{0};
        Workers workers([&] { next = count; });
        for (int t = 0; t < std::min(threads, std::max(1, static_cast<int>(count))); ++t)
            workers.start([&] { work([&] { return next++; }); });
        while (!workers.waitFor(std::chrono::milliseconds(100)))
            report();
        workers.join();
    }

    void take(const SearchCounts& counts)
    {
        const std::lock_guard lock(m_mutex);
        m_counts.tilings += counts.tilings;
        m_counts.cut += counts.cut;
        m_counts.evaluations += counts.evaluations;
    }

    /// The mappings found, without proof and bounds.
    [[nodiscard]] SearchResult result() const
    {
        SearchResult out;
        out.front = m_found.front();
        std::ranges::sort(out.front, {}, &MappingCost::energy);
        for (std::size_t o = 0; o < kObjectives; ++o)
            for (const MappingCost& point : out.front)
                if (const auto objective = static_cast<Objective>(o);
                    !out.best[o] || point.value(objective) < out.best[o]->value(objective))
                    out.best[o] = point;
        out.constraints = m_options.constraints;
        out.tilings = m_counts.tilings;
        out.cut = m_counts.cut;
        out.evaluations = m_counts.evaluations;
        out.seconds = seconds();
        return out;
    }

private:
    void report()
    {
        if (!m_options.status)
            return;
        SearchStatus status;
        for (std::size_t o = 0; o < kObjectives; ++o)
            if (const double best = m_found.best(static_cast<Objective>(o)); best < kInfinite)
                status.best[o] = best;
        {
            const std::lock_guard lock(m_mutex);
            status.evaluations = m_counts.evaluations;
        }
        status.seconds = seconds();
        m_options.status(status);
    }

    const SearchOptions& m_options;
    double m_start;
    Found m_found;
    mutable std::mutex m_mutex; ///< guards m_counts
    SearchCounts m_counts;
};

} // namespace tilewright::hierarchy
