// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <optional>
#include <vector>

namespace tilewright {

/// What the ops of a subgraph took in another schedule of the same graph.
struct BaselineShare
{
    /// In subgraphs without any other ops; nothing where the baseline mixes them with others.
    std::optional<double> latency;
    /// The same or, where several subgraphs of now were one or were cut otherwise, this one's share of what
    /// all of them took: as large as its share of what they take now. The shares add up to the baseline's
    /// total. Nothing where something of it cannot run.
    std::optional<double> share;
    std::vector<SubgraphId> subgraphs; ///< of the baseline, with ops of this one
};

/// One a subgraph of `now`.
[[nodiscard]] std::vector<BaselineShare> baselineShares(const Snapshot& now, const Snapshot& baseline);

} // namespace tilewright
