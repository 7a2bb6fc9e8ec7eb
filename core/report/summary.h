// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <span>
#include <vector>

namespace tilewright {

/// Some numbers in short; all 0 without any.
struct Spread
{
    std::size_t count = 0;
    double sum = 0;
    double min = 0;
    double mean = 0;
    double max = 0;
};

/// Several subgraphs (or all) taken together, for a selection.
struct SubgraphsSummary
{
    std::vector<SubgraphId> counted; ///< those that can run; only they are in the spreads
    std::size_t broken = 0;          ///< the others
    Spread latency;
    Spread compute;
    Spread memory;           ///< time
    Spread traffic;          ///< elements loaded and stored
    Spread workingSet;       ///< peak of each; the sum means nothing
    double latencyShare = 0; ///< of the schedule's total, 0 to 1
};
[[nodiscard]] SubgraphsSummary summarise(const Snapshot& snapshot, std::span<const SubgraphId> subgraphs);

/// The part of the problem's bare work (each op once, without padding or repetition) that these ops do, 0 to
/// 1.
[[nodiscard]] double workShare(const Problem& problem, std::span<const OpId> ops, const Rules& rules);

} // namespace tilewright
