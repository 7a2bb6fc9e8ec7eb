// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/search.h"
#include "mapping/search_frame.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace tilewright::hierarchy {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The mappings that all threads of a search have found, as a front: no other found mapping is better in both
/// energy and cycles.
class Found
{
public:
    /// `objective`: the objective for which bounds are compared with the mappings found; nullopt: bounds are
    /// compared with every point of the front.
    explicit Found(std::optional<Objective> objective) : m_objective(objective)
    {
        for (auto& best : m_best)
            best = kInfinite;
    }

    [[nodiscard]] const std::optional<Objective>& objective() const noexcept { return m_objective; }
    /// Value of the best mapping; infinite if there is none.
    [[nodiscard]] double best(Objective objective) const noexcept
    {
        return m_best[static_cast<std::size_t>(objective)].load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool isEmpty() const noexcept { return best(Objective::Energy) == kInfinite; }
    /// Version of the front; it grows with each change.
    [[nodiscard]] std::uint64_t version() const noexcept { return m_version.load(std::memory_order_relaxed); }
    [[nodiscard]] std::vector<MappingCost> front() const
    {
        const std::lock_guard lock(m_mutex);
        return m_front;
    }
    /// Adds the mapping that `make()` returns, unless a point of the front is as good in both energy and
    /// cycles.
    template <typename Make> void add(double energy, double cycles, const Make& make)
    {
        const std::lock_guard lock(m_mutex);
        for (const MappingCost& point : m_front)
            if (point.energy <= energy && point.cycles <= cycles)
                return;
        std::erase_if(m_front, [&](const MappingCost& point) {
            return point.energy >= energy && point.cycles >= cycles;
        });
        m_front.push_back({make(), energy, cycles});
        for (std::size_t o = 0; o < kObjectives; ++o)
            m_best[o] = std::min(m_best[o].load(), m_front.back().value(static_cast<Objective>(o)));
        ++m_version;
    }

private:
    std::optional<Objective> m_objective;
    std::array<std::atomic<double>, kObjectives> m_best;
    mutable std::mutex m_mutex; ///< guards m_front
    std::vector<MappingCost> m_front;
    std::atomic<std::uint64_t> m_version{1};
};

/// Compares bounds with the mappings found. Each thread has its own Cutter.
class Cutter
{
public:
    explicit Cutter(const Found& found) : m_found(found) {}

    /// True if no mapping with these lower bounds can be better than those found.
    [[nodiscard]] bool isSettled(double energy, double cycles)
    {
        if (energy == kInfinite)
            return true;
        const auto slightlyBelow = [](double value) { return value * (1 - mapping::kEnergyTolerance); };
        if (const auto& objective = m_found.objective()) {
            const double value = *objective == Objective::Energy   ? energy
                                 : *objective == Objective::Cycles ? cycles
                                                                   : energy * cycles;
            return value >= slightlyBelow(m_found.best(*objective));
        }
        if (m_version != m_found.version()) {
            m_version = m_found.version();
            m_front = m_found.front();
        }
        return std::ranges::any_of(m_front, [&](const MappingCost& point) {
            return energy >= slightlyBelow(point.energy) && cycles >= slightlyBelow(point.cycles);
        });
    }

private:
    const Found& m_found;
    std::uint64_t m_version = 0;
    std::vector<MappingCost> m_front; ///< copy of the front; used if all objectives are searched
};

} // namespace tilewright::hierarchy
