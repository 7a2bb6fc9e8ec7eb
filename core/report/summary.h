// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <span>
#include <vector>

namespace tilewright {

/// Statistics of a list of numbers; all 0 for an empty list.
struct Spread
{
    std::size_t count = 0;
    double sum = 0;
    double min = 0;
    double mean = 0;
    double max = 0;
};

/// Summary of several subgraphs, for example of a selection.
struct SubgraphsSummary
{
    std::vector<SubgraphId> counted; ///< subgraphs that can run; only these are in the statistics
    std::size_t broken = 0;          ///< number of subgraphs that cannot run
    Spread latency;
    Spread compute;
    Spread memory;           ///< memory time
    Spread traffic;          ///< elements loaded and stored
    Spread workingSet;       ///< peak of each subgraph; the sum has no meaning
    double latencyShare = 0; ///< share in the total latency of the schedule, 0 to 1
};
[[nodiscard]] SubgraphsSummary summarise(const Snapshot& snapshot, std::span<const SubgraphId> subgraphs);

/// Share of the ops in the minimum work of the problem (each op once, without padding), 0 to 1.
[[nodiscard]] double workShare(const Problem& problem, std::span<const OpId> ops, const Rules& rules);

} // namespace tilewright
