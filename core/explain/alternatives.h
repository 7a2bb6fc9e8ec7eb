// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

#include <functional>
#include <string>
#include <vector>

namespace tilewright {

/// What else could be done with one subgraph, and what it would cost: the "why" of a schedule.
struct SolveAlternative
{
    enum class Kind : std::uint8_t { Granularity, Traversal, NotRetained, Apart, Fused };
    Kind kind = Kind::Granularity;
    std::string text;  ///< e.g. "granularity 128 x 64 x 32", "without retaining t7", "op3 and op4 apart"
    double total = 0;  ///< latency of the whole valid schedule with this change (the rest keeps its tilings)
    double loss = 0;   ///< total - the schedule's total; negative when the schedule can be improved this way
    Schedule schedule; ///< with the change
};

/// Called with the alternatives of each subgraph as soon as they are known.
using AlternativesFound = std::function<void(SubgraphId, const std::vector<SolveAlternative>&)>;

/// For each subgraph of a valid schedule the best few valid alternatives of every kind, the cheapest first;
/// empty for locked subgraphs and for a schedule that is not valid. Totals are exact. Of large subgraphs only
/// some ways to take them apart, of subgraphs with many neighbours only the nearest are tried.
std::vector<std::vector<SolveAlternative>> solveAlternatives(const Problem& problem, const Schedule& schedule,
                                                             const Rules& rules,
                                                             const Progress& progress = {},
                                                             const AlternativesFound& found = {});

} // namespace tilewright
