// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

#include <optional>

namespace tilewright {

/// What a schedule spends its latency on, and what better hardware would save. All are times.
struct CriticalResources
{
    double total = 0;
    // These add up to the total: each step counts for what binds it (R10.1).
    double compute = 0;
    double load = 0; ///< memory-bound steps, split by what they move
    double store = 0;

    // Saved by a tenth more of one resource; the schedule stays as it is.
    double fasterCompute = 0;
    double moreBandwidth = 0;
    // The same subgraphs with the best tilings found for the larger memory, against the best found for this
    // one.
    double moreCapacity = 0;
    double unlimitedCapacity = 0; ///< what the limit costs at all

    bool exact = true; ///< false when some subgraph has too many steps to look at each
};

/// Nothing when the schedule is not valid or when stopped.
[[nodiscard]] std::optional<CriticalResources> criticalResources(const Problem& problem,
                                                                 const Schedule& schedule, const Rules& rules,
                                                                 const Progress& progress = {});

} // namespace tilewright
