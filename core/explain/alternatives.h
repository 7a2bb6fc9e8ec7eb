// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <functional>
#include <string>
#include <vector>

namespace tilewright {

/// An alternative to one subgraph of a schedule, and its effect on the latency.
struct SolveAlternative
{
    enum class Kind : std::uint8_t { Granularity, Traversal, NotRetained, Apart, Fused };
    Kind kind = Kind::Granularity;
    /// text of the change, e.g. "granularity 128 x 64 x 32", "without retaining t7", "op3 and op4 apart"
    std::string text;
    /// Latency of the whole schedule with this change; the other subgraphs keep their tilings.
    double total = 0;
    /// `total` minus the latency of the original schedule; negative if the change is an improvement.
    double loss = 0;
    Schedule schedule; ///< the schedule with the change
};

/// Called with the alternatives of each subgraph as soon as they are known.
using AlternativesFound = std::function<void(SubgraphId, const std::vector<SolveAlternative>&)>;

/// Returns the best valid alternatives of every kind for each subgraph of a valid schedule, the fastest
/// first. Empty for locked subgraphs and for a schedule that is not valid. Totals are exact. For a large
/// subgraph only some splits are tried, and for a subgraph with many neighbours only fusions with the nearest
/// ones.
std::vector<std::vector<SolveAlternative>> solveAlternatives(const Problem& problem, const Schedule& schedule,
                                                             const Rules& rules,
                                                             const Progress& progress = {},
                                                             const AlternativesFound& found = {});

} // namespace tilewright
