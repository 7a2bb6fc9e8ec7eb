// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/cost_kernel.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright::mapping {

/// Relative tolerance below which energies count as equal. It is above the rounding error of their sums.
inline constexpr double kEnergyTolerance = 1e-12;

/// Pareto front of (energy, cycles), both minimised. Points are in ascending order of energy and descending
/// order of cycles.
template <typename Payload> class Front
{
public:
    struct Point
    {
        Cost cost;
        Payload payload;
    };

    [[nodiscard]] const std::vector<Point>& points() const noexcept { return m_points; }
    [[nodiscard]] bool empty() const noexcept { return m_points.empty(); }

    /// True if a point has at most this energy and at most these cycles. `cost` may be a lower bound: no
    /// better method is lost.
    [[nodiscard]] bool dominates(const Cost& cost) const noexcept
    {
        const double energy = cost.energy * (1 + kEnergyTolerance);
        // Binary search: among the points with at most this energy, the last one has the fewest cycles.
        std::size_t low = 0;
        std::size_t high = m_points.size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (m_points[middle].cost.energy <= energy)
                low = middle + 1;
            else
                high = middle;
        }
        return low > 0 && m_points[low - 1].cost.cycles <= cost.cycles;
    }

    /// Adds the point unless it is dominated, and removes the points that it dominates. Returns true if it
    /// was added.
    bool insert(const Cost& cost, const Payload& payload)
    {
        if (dominates(cost))
            return false;
        std::erase_if(m_points, [&](const Point& p) {
            return cost.energy <= p.cost.energy * (1 + kEnergyTolerance) && cost.cycles <= p.cost.cycles;
        });
        const auto at = std::find_if(m_points.begin(), m_points.end(),
                                     [&](const Point& p) { return p.cost.energy > cost.energy; });
        m_points.insert(at, {cost, payload});
        return true;
    }

private:
    std::vector<Point> m_points;
};

} // namespace tilewright::mapping
