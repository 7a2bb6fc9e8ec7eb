// SPDX-License-Identifier: GPL-3.0-or-later
// Key figures: of a problem, of several subgraphs.
#pragma once

#include "snapshot/snapshot.h"
#include "workload/problem.h"

#include <span>
#include <string>
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
    Spread memory;           ///< memory time of the subgraphs
    Spread traffic;          ///< elements loaded and stored by the subgraphs
    Spread workingSet;       ///< peak working set of each subgraph; its sum has no meaning
    double latencyShare = 0; ///< share of the subgraphs in the total latency of the schedule, 0 to 1
};
[[nodiscard]] SubgraphsSummary summarise(const Snapshot& snapshot, std::span<const SubgraphId> subgraphs);

/// Share of the ops in the minimum work of the problem, 0 to 1. The minimum work has each op once, without
/// padding.
[[nodiscard]] double workShare(const Problem& problem, std::span<const OpId> ops, const Rules& rules);

/// Key figures of a problem; sizes in elements.
struct ProblemSummary
{
    std::size_t matMuls = 0;
    std::size_t pointwise = 0;
    std::size_t depth = 0; ///< number of ops on the longest path of the graph
    std::size_t unusedTensors = 0;
    std::size_t views = 0;       ///< number of views that some op reads (R1.7)
    std::size_t mappedViews = 0; ///< number of these views that have an index map (R1.8)
    std::int64_t inputElements = 0;
    std::int64_t outputElements = 0;
    std::int64_t intermediateElements = 0;
    std::int64_t viewElements = 0;
    std::int64_t largestTensor = 0;
    bool operator==(const ProblemSummary&) const = default;
};
[[nodiscard]] ProblemSummary summarise(const Problem& problem);

/// Returns the document of `info --json`.
[[nodiscard]] std::string summaryJson(const Problem& problem, const ProblemSummary& summary,
                                      double lowerBound);

} // namespace tilewright
