// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a subgraph grouped by kind, which explain its latency and its figures.
#pragma once

#include "eval/trace.h"

#include <map>
#include <stop_token>
#include <vector>

namespace tilewright {

/// Steps of equal compute time, loads and stores.
struct StepKind
{
    Step first; ///< the earliest step of this kind
    std::int64_t count = 0;
    [[nodiscard]] double latency() const noexcept { return static_cast<double>(count) * first.latency; }
};
/// The steps of one subgraph.
struct StepKinds
{
    std::vector<StepKind> kinds;                ///< kinds of steps, in the order of their first step
    Step largest;                               ///< the earliest step with the largest working set
    std::map<std::int64_t, std::int64_t> tiles; ///< number of tiles by their number of k steps
    std::map<OpId, double> energy;              ///< energy of the runs of each op, in pJ
    bool complete = true;                       ///< false: the walk ended at `most` steps or was stopped
};
/// Walks the steps of a subgraph at its position in the schedule. The result has no kinds if the subgraph
/// breaks R4 or R5.3.
[[nodiscard]] StepKinds stepKinds(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                  SubgraphId subgraph, std::int64_t most = 1'000'000,
                                  const std::stop_token& stop = {});

} // namespace tilewright
