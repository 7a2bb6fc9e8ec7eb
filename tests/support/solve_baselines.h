// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

namespace tilewright {

struct BaselineResult
{
    Schedule schedule;
    double total = 0; ///< latency, by the evaluator
};

/// Each op alone, in topological order, nothing retained, each with the best tiling found (thorough search).
/// Errors when some op fits at no granularity.
[[nodiscard]] Result<BaselineResult> baselineSingles(const Problem& problem, const Rules& rules);

/// Starts from baselineSingles() and fuses pairs of subgraphs that share a tensor, the most profitable pair
/// first, until no fusion pays; nothing is retained or recomputed.
[[nodiscard]] Result<BaselineResult> baselineGreedyFusion(const Problem& problem, const Rules& rules);

} // namespace tilewright
