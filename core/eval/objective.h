// SPDX-License-Identifier: GPL-3.0-or-later
// What a search minimises: latency, energy (R17) or their product, and the trade-off between the two.
#pragma once

#include "schedule/schedule.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tilewright {

enum class SolveObjective : std::uint8_t {
    Latency,
    Energy, ///< energy in pJ (R17)
    Edp     ///< energy-delay product: latency x energy
};
/// The names in options and files, by SolveObjective.
inline constexpr std::array<std::string_view, 3> kObjectiveNames{"latency", "energy", "edp"};

/// The value of a schedule under an objective, in the unit of time, in pJ, or in their product.
[[nodiscard]] constexpr double valueOf(SolveObjective objective, double latency, double energy) noexcept
{
    return objective == SolveObjective::Latency  ? latency
           : objective == SolveObjective::Energy ? energy
                                                 : latency * energy;
}

/// Cost of a subgraph in a search: latency * `latency` + energy * `energy`. The default is the latency
/// itself.
struct Price
{
    double latency = 1, energy = 0;
    [[nodiscard]] constexpr bool isLatency() const noexcept { return latency == 1 && energy == 0; }
    [[nodiscard]] constexpr double of(double time, double pj) const noexcept
    {
        return isLatency() ? time : latency * time + energy * pj;
    }
};

/// A valid schedule with its latency and its energy.
struct FrontPoint
{
    double latency = 0, energy = 0;
    std::shared_ptr<const Schedule> schedule;
};
/// Schedules of which none is better than another in latency and energy: latency ascends, energy descends.
using Front = std::vector<FrontPoint>;
/// Adds a point unless one of the front is better, and removes those that it is at least as good as.
void addToFront(Front& front, FrontPoint point);

} // namespace tilewright
