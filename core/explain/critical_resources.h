// SPDX-License-Identifier: GPL-3.0-or-later
// The resources that limit a schedule, found by evaluating it on better hardware.
#pragma once

#include "base/progress.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <optional>

namespace tilewright {

enum class HardwareParameter : std::uint8_t { Capacity, Bandwidth };

/// Returns the problem with one hardware parameter multiplied by a factor (rounded, at least 1). Returns an
/// Error if the result exceeds the limits of a problem.
[[nodiscard]] Result<ProblemPtr> withHardware(const Problem& problem, HardwareParameter parameter,
                                              double factor);

/// The resources that limit a schedule's latency, and the latency that better hardware would save. All values
/// are times.
struct CriticalResources
{
    double total = 0;
    // Shares of the latency by limiting resource, which add up to the total (R10.1).
    double compute = 0;
    /// time of the memory-bound steps, split in proportion to the elements loaded and stored
    double load = 0;
    double store = 0;

    // Latency saved by 10 % more of one resource, if the schedule does not change.
    double fasterCompute = 0;
    double moreBandwidth = 0;
    // Latency saved by a larger memory, if the subgraphs do not change and each has the best tiling found for
    // the respective memory size.
    double moreCapacity = 0;
    double unlimitedCapacity = 0; ///< latency saved by unlimited capacity

    bool exact = true; ///< false if some subgraph has too many steps to examine every step
};

/// Analyses a schedule. Returns nothing if the schedule is not valid, or if stopped.
[[nodiscard]] std::optional<CriticalResources> criticalResources(const Problem& problem,
                                                                 const Schedule& schedule, const Rules& rules,
                                                                 const Progress& progress = {});

} // namespace tilewright
