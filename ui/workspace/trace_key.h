// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <vector>

namespace tilewright::ui {

/// Key of the trace of a subgraph: subgraphs with equal keys have equal traces.
struct TraceKey
{
    ProblemPtr problem;
    SubgraphPtr subgraph;
    std::vector<TensorId> resident;
    Rules rules;
    bool operator==(const TraceKey& other) const
    {
        return problem == other.problem &&
               (subgraph == other.subgraph || (subgraph && other.subgraph && *subgraph == *other.subgraph)) &&
               resident == other.resident && rules == other.rules;
    }
};

[[nodiscard]] inline TraceKey traceKey(const Snapshot& snapshot, SubgraphId subgraph)
{
    const auto resident = snapshot.residentBefore(subgraph);
    return {snapshot.problem,
            snapshot.schedule.subgraphs[subgraph.index()],
            {resident.begin(), resident.end()},
            snapshot.evaluation.rules};
}

/// Start time of a subgraph: the sum of the latencies of all structurally valid subgraphs before it.
[[nodiscard]] inline double startOf(const Snapshot& snapshot, SubgraphId subgraph)
{
    double start = 0;
    for (std::size_t i = 0; i < subgraph.index(); ++i)
        if (snapshot.evaluation.subgraphs[i].structurallyValid)
            start += snapshot.evaluation.subgraphs[i].latency;
    return start;
}

} // namespace tilewright::ui
