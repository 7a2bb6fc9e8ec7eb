// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/cost_kernel.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright::mapping {

/// Energies closer than this are equal: it is above the rounding of the doubles that add them up.
inline constexpr double kEnergyTolerance = 1e-12;

/// The Pareto front of (energy, cycles), both to be minimised: energies ascend, cycles descend.
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

    /// Some point costs no more in either respect. Sound for lower bounds: nothing better is lost.
    [[nodiscard]] bool dominates(const Cost& cost) const noexcept
    {
        const double energy = cost.energy * (1 + kEnergyTolerance);
        // The last point with at most this energy has the fewest cycles of all of those.
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

    /// Adds the point unless it is dominated, and removes those that it dominates.
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
