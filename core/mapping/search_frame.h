// SPDX-License-Identifier: GPL-3.0-or-later
// What all workers of a search share: the front, counters, progress.
#pragma once

#include "base/workers.h"
#include "mapping/cost_kernel.h"
#include "mapping/search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tilewright::mapping {

/// Relative difference up to which energies count as equal. It is above the rounding error of their sums.
inline constexpr double kEnergyTolerance = 1e-12;

/// Pareto front of (energy, cycles), both minimised. Points are sorted by ascending energy, hence by
/// descending cycles. Of equal points, the front keeps the one from the first part of the space, so that the
/// threads of a search always find the same front.
template <typename Payload> class Front
{
public:
    struct Point
    {
        Cost cost;
        std::size_t part; ///< part of the space in which it was found
        Payload payload;
    };

    [[nodiscard]] const std::vector<Point>& points() const noexcept { return m_points; }
    [[nodiscard]] bool empty() const noexcept { return m_points.empty(); }

    /// True if some point of the front has at most this energy and at most these cycles. A point that equals
    /// `cost` does not count if it is from a later part than `part`. `cost` may be a lower bound: then no
    /// better method is lost.
    [[nodiscard]] bool dominates(const Cost& cost, std::size_t part = 0) const noexcept
    {
        const double energy = cost.energy * (1 + kEnergyTolerance);
        // Binary search. Of all points with at most this energy, the last one has the fewest cycles.
        std::size_t low = 0;
        std::size_t high = m_points.size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (m_points[middle].cost.energy <= energy)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == 0)
            return false;
        const Point& point = m_points[low - 1];
        const bool isEqual =
            point.cost.cycles == cost.cycles && cost.energy <= point.cost.energy * (1 + kEnergyTolerance);
        return point.cost.cycles <= cost.cycles && !(isEqual && part < point.part);
    }

    /// Adds the point unless it is dominated, and removes the points that it dominates. Returns true if it
    /// was added.
    bool insert(const Cost& cost, const Payload& payload, std::size_t part = 0)
    {
        if (dominates(cost, part))
            return false;
        std::erase_if(m_points, [&](const Point& p) {
            return cost.energy <= p.cost.energy * (1 + kEnergyTolerance) && cost.cycles <= p.cost.cycles;
        });
        const auto at = std::find_if(m_points.begin(), m_points.end(),
                                     [&](const Point& p) { return p.cost.energy > cost.energy; });
        m_points.insert(at, {cost, part, payload});
        return true;
    }

private:
    std::vector<Point> m_points;
};

/// A worker's copy of the front, and the worker's counts that are not yet added to those of the search.
template <typename Payload> struct FrontCopy
{
    [[nodiscard]] bool dominates(const Cost& cost) const noexcept { return front.dominates(cost, part); }

    Front<Payload> front;
    std::size_t part = 0;      ///< part that the worker searches; 0 before the first one
    std::uint64_t version = 0; ///< version of the copied front
    std::int64_t visited = 0;
    std::int64_t evaluations = 0;
};

/// Base of all searches: limits, the front that the workers share, counters, progress reports and the result.
/// The space is searched part by part. A method is stored as a `Payload`, from which it can be rebuilt.
template <typename Payload> class SearchFrame
{
public:
    SearchFrame(const SearchFrame&) = delete;
    SearchFrame& operator=(const SearchFrame&) = delete;

protected:
    SearchFrame(const LoopNest& nest, const Architecture& architecture, const SearchOptions& options)
        : m_nest(nest), m_architecture(architecture), m_options(options), m_start(Clock::now())
    {
    }
    ~SearchFrame() = default;

    [[nodiscard]] double elapsed() const
    {
        return std::chrono::duration<double>(Clock::now() - m_start).count();
    }
    [[nodiscard]] bool cancelled() const
    {
        return m_options.stop.stop_requested() || (m_options.seconds > 0 && elapsed() >= m_options.seconds);
    }

    /// Updates a worker's copy of the front before the worker searches a part.
    void refresh(FrontCopy<Payload>& copy, std::size_t part)
    {
        copy.part = part + 1;
        if (copy.version == m_version.load(std::memory_order_relaxed))
            return;
        const std::lock_guard lock(m_mutex);
        copyFront(copy);
    }

    void publish(FrontCopy<Payload>& copy, const Cost& cost, const Payload& found)
    {
        const std::lock_guard lock(m_mutex);
        if (m_front.insert(cost, found, copy.part))
            ++m_version;
        copyFront(copy);
    }

    void takeCounts(FrontCopy<Payload>& copy)
    {
        m_visited.fetch_add(std::exchange(copy.visited, 0), std::memory_order_relaxed);
        m_evaluations.fetch_add(std::exchange(copy.evaluations, 0), std::memory_order_relaxed);
    }

    /// Searches the parts 0 to `parts` - 1 in this order, in all threads, and reports the progress.
    /// `settle(worker, i)` returns true if part i is completely searched; otherwise the thread ends.
    template <typename MakeWorker, typename Settle>
    void settleParts(std::size_t parts, const MakeWorker& makeWorker, const Settle& settle)
    {
        m_settledParts = std::vector<std::atomic<bool>>(parts);
        const int threads = m_options.threads > 0
                                ? m_options.threads
                                : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        std::atomic<std::size_t> next{0};
        Workers workers([&] { next = parts; });
        for (int t = 0; t < threads; ++t)
            workers.start([&] {
                auto worker = makeWorker();
                for (std::size_t i = next++; i < parts && settle(worker, i); i = next++)
                    m_settledParts[i].store(true, std::memory_order_relaxed);
            });
        while (!workers.waitFor(std::chrono::milliseconds(100)))
            report();
        workers.join();
    }

    /// Calls visit(part) for every part that is not completely searched.
    template <typename Parts, typename Visit> void forEachOpen(const Parts& parts, Visit&& visit) const
    {
        for (std::size_t i = 0; i < m_settledParts.size(); ++i)
            if (!m_settledParts[i])
                visit(parts[i]);
    }

    /// Share of the space that is settled: `m_settled` of `m_total`.
    [[nodiscard]] double share() const
    {
        if (m_total == 0)
            return m_listed ? 1 : 0;
        return static_cast<double>(m_settled.load()) / static_cast<double>(m_total);
    }

    /// Reports the progress, at most about ten times a second.
    void report()
    {
        if (!m_options.status || elapsed() - m_reported < 0.09)
            return;
        m_reported = elapsed();
        SearchStatus status;
        status.settled = share();
        status.counts = counts();
        status.seconds = m_reported;
        {
            const std::lock_guard lock(m_mutex);
            for (const auto& p : m_front.points())
                status.add(p.cost);
        }
        m_options.status(status);
    }

    /// Returns the front and the counters as a result. The caller adds the bounds.
    template <typename MethodOf> [[nodiscard]] SearchResult result(const MethodOf& methodOf) const
    {
        SearchResult out;
        for (const auto& p : m_front.points())
            out.add(costOf(methodOf(p.payload)));
        out.proven = m_listed && m_settled == m_total;
        out.interrupted = m_options.stop.stop_requested() && !out.proven;
        out.reductions = m_options.reductions;
        out.counts = counts();
        out.settled = share();
        return out;
    }

    [[nodiscard]] MethodCost costOf(const Method& method) const
    {
        const MappingCost e = evaluate(m_nest, m_architecture, method);
        return {method, e.energy, e.cycles, e.edp};
    }

    LoopNest m_nest;
    Architecture m_architecture;
    SearchOptions m_options;
    SearchCounts m_counts; ///< counts that the workers have added
    bool m_listed = false; ///< true if all parts of the space are known
    std::int64_t m_total = 0;
    std::atomic<std::int64_t> m_settled{0};
    Front<Payload> m_front;

private:
    using Clock = std::chrono::steady_clock;

    /// Copies the front. The caller holds the lock.
    void copyFront(FrontCopy<Payload>& copy) const
    {
        copy.front = m_front;
        copy.version = m_version.load(std::memory_order_relaxed);
    }

    [[nodiscard]] SearchCounts counts() const
    {
        SearchCounts out = m_counts;
        out.visited = m_visited;
        out.evaluations = m_evaluations;
        return out;
    }

    Clock::time_point m_start;
    double m_reported = 0; ///< time of the last report in seconds
    std::vector<std::atomic<bool>> m_settledParts;
    std::atomic<std::int64_t> m_visited{0};
    std::atomic<std::int64_t> m_evaluations{0};
    std::mutex m_mutex; ///< guards m_front
    std::atomic<std::uint64_t> m_version{1};
};

} // namespace tilewright::mapping
