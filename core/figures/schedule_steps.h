// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a subgraph by kinds: what the figures of a schedule are made of.
#pragma once

#include "eval/trace.h"
#include "snapshot/snapshot.h"

#include <map>
#include <optional>
#include <vector>

namespace tilewright::figures {

/// Steps of equal compute time, loads and stores.
struct StepKind
{
    Step first; ///< the earliest of them
    std::int64_t count = 0;
};
/// All steps of one subgraph.
struct StepsInKinds
{
    std::vector<StepKind> kinds;                ///< in the order of their first step
    Step largest;                               ///< the earliest step with the largest working set
    std::map<std::int64_t, std::int64_t> tiles; ///< number of tiles by their number of k steps
    std::map<OpId, double> energy;              ///< of the runs of an op, in pJ
};
/// Walks the steps of a subgraph; nothing if it breaks a rule or has more steps than `most`.
[[nodiscard]] std::optional<StepsInKinds> stepsInKinds(const Snapshot& snapshot, SubgraphId subgraph,
                                                       std::int64_t most);

} // namespace tilewright::figures
