// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

/// The schedule that runs fastest of several, and of variants of it with other tiles (docs/rules/run.md 4).
struct RunFinish
{
    Schedule schedule;
    double end = 0;                  ///< end of its run
    double latency = 0;              ///< latency of `schedule` (R10)
    double endBefore = 0;            ///< end of the run of the first schedule
    double latencyBefore = 0;        ///< latency of the first schedule
    std::int64_t runs = 0;           ///< number of runs that were tried
    std::size_t of = 0;              ///< index of the schedule that it is a variant of
    std::vector<SubgraphId> retiled; ///< subgraphs whose tiles changed
};

/// Steps that finishOnRun() runs at most, all tries together; it is deterministic.
inline constexpr std::int64_t kFinishSteps = 500'000;

/// Runs the schedules, of which the first one must be valid, and then tries larger and smaller tiles for the
/// subgraphs of the fastest one, as long as its run ends earlier. Locked subgraphs and those with an explicit
/// order keep their tiles. A stop ends it with the best so far.
[[nodiscard]] Result<RunFinish> finishOnRun(const Problem& problem, std::span<const Schedule> schedules,
                                            const Rules& rules, std::int64_t prefetch = RunOptions().prefetch,
                                            const Progress& progress = {},
                                            std::int64_t mostSteps = kFinishSteps);

} // namespace tilewright
