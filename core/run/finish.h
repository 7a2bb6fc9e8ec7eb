// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "run/run.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

/// The schedule that runs fastest among several schedules and variants of the fastest one with other tiles
/// (docs/rules/run.md 4).
struct RunFinish
{
    Schedule schedule;
    double end = 0;                  ///< end of the run of `schedule`
    double latency = 0;              ///< latency of `schedule` (R10)
    double endBefore = 0;            ///< end of the run of the first schedule given
    double latencyBefore = 0;        ///< latency of the first schedule given (R10)
    std::int64_t runs = 0;           ///< number of runs tried
    std::size_t of = 0;              ///< index of the given schedule of which `schedule` is a variant
    std::vector<SubgraphId> retiled; ///< subgraphs whose tiles changed
};

/// Largest number of steps that finishOnRun() runs, summed over all tries. The limit is not a time, so that
/// the result is deterministic.
inline constexpr std::int64_t kFinishSteps = 500'000;

/// Runs the schedules, of which the first one must be valid. Then tries larger and smaller tiles for the
/// subgraphs of the fastest one, as long as its run ends earlier. Locked subgraphs and those with an explicit
/// order keep their tiles. When stopped, returns the best schedule so far.
[[nodiscard]] Result<RunFinish> finishOnRun(const Problem& problem, std::span<const Schedule> schedules,
                                            const Rules& rules, std::int64_t prefetch = RunOptions().prefetch,
                                            const Progress& progress = {},
                                            std::int64_t mostSteps = kFinishSteps);

} // namespace tilewright
