// SPDX-License-Identifier: GPL-3.0-or-later
// The objectives of a search (latency, energy (R17) or their product), and the Pareto front of latency and
// energy.
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
/// names of the objectives in options and files, indexed by SolveObjective
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
/// The Pareto front: schedules that do not beat one another in latency and energy, by ascending latency and
/// descending energy.
using Front = std::vector<FrontPoint>;
/// Adds a point unless a point of the front is better. Removes all points of the front than which the new
/// point is not worse.
void addToFront(Front& front, FrontPoint point);

} // namespace tilewright
