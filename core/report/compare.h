// SPDX-License-Identifier: GPL-3.0-or-later
// Comparisons of a schedule with others: effect of each difference, shares of a baseline.
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "schedule/diff.h"
#include "snapshot/snapshot.h"

#include <optional>
#include <vector>

namespace tilewright {

/// Change of the total latency by one difference. The differences are applied one after another.
struct Contribution
{
    Difference difference;
    double delta = 0; ///< change of the total latency, exact; negative is faster
    double total = 0; ///< total latency after this difference
};

/// Two schedules of one problem and their differences. The deltas add up to after - before.
struct Comparison
{
    double before = 0;
    double after = 0;
    std::vector<Contribution> contributions;
    bool stopped = false; ///< true if a stop request made the list incomplete
};
[[nodiscard]] Comparison compareSchedules(const ProblemPtr& problem, const Schedule& before,
                                          const Schedule& after, const Rules& rules,
                                          const Progress& progress = {});

/// Indices of the contributions, largest saving first and largest loss last.
[[nodiscard]] std::vector<std::size_t> rankedByGain(const Comparison& comparison);

/// Latency that the ops of a subgraph have in a baseline schedule of the same graph.
struct BaselineShare
{
    /// Latency of the baseline subgraphs with these ops; empty if those subgraphs contain other ops, too.
    std::optional<double> latency;
    /// Part of the baseline latency of the subgraph's group. A group contains all subgraphs of both schedules
    /// that share ops; its baseline latency is divided in proportion to the current latencies of its
    /// subgraphs. The parts of all subgraphs add up to the total latency of the baseline. Empty if a subgraph
    /// of the group cannot run.
    std::optional<double> share;
    std::vector<SubgraphId> subgraphs; ///< baseline subgraphs that contain ops of this subgraph
};

/// Returns one entry per subgraph of `now`.
[[nodiscard]] std::vector<BaselineShare> baselineShares(const Snapshot& now, const Snapshot& baseline);

} // namespace tilewright
