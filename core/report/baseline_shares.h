// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <optional>
#include <vector>

namespace tilewright {

/// Latency of the ops of a subgraph in a baseline schedule of the same graph.
struct BaselineShare
{
    /// Latency of the baseline subgraphs with these ops; empty if they contain other ops too.
    std::optional<double> latency;
    /// Share of the subgraph in the baseline latency of its group. A group contains all subgraphs of both
    /// schedules that share ops; its baseline latency is divided in proportion to the present latencies. The
    /// shares add up to the total of the baseline. Empty if a subgraph of the group cannot run.
    std::optional<double> share;
    std::vector<SubgraphId> subgraphs; ///< baseline subgraphs that contain ops of this subgraph
};

/// Returns one entry per subgraph of `now`.
[[nodiscard]] std::vector<BaselineShare> baselineShares(const Snapshot& now, const Snapshot& baseline);

} // namespace tilewright
