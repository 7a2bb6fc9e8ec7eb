// SPDX-License-Identifier: GPL-3.0-or-later
// Who takes a tensor from a line, and how it reaches them.
#include "views/graph/graph_model.h"

#include <algorithm>
#include <set>

namespace tilewright::ui {

std::vector<SubgraphId> readersOf(const GraphModel& model, const GraphEdgeKey& edge, TensorId tensor)
{
    const GraphGeometry& geometry = *model.geometry;
    const GraphNode& to = model.nodes[edge.to];
    if (to.key.kind != GraphKey::Kind::Section) {
        std::vector<SubgraphId> out; // those that run the op, or the one of the card
        for (const GraphBadge& badge : to.badges)
            out.push_back(badge.subgraph);
        return out;
    }
    std::set<SubgraphId> out;
    const Problem& problem = *geometry.problem;
    const auto consumers = problem.consumers(tensor);
    for (SubgraphId s : geometry.sections.at(edge.to).subgraphs)
        for (OpId op : geometry.members[s.index()])
            if (std::find(consumers.begin(), consumers.end(), op) != consumers.end())
                out.insert(s);
    return {out.begin(), out.end()};
}

EdgeStyle edgeStyle(const Snapshot& snapshot, SubgraphId s, TensorId t)
{
    // R3.1: what the subgraph makes itself is taken from inside, even when a copy is resident.
    const Problem& problem = *snapshot.problem;
    const Subgraph& subgraph = snapshot.schedule[s];
    if (const auto producer = problem.producer(t))
        if (std::find(subgraph.ops.begin(), subgraph.ops.end(), *producer) != subgraph.ops.end())
            return EdgeStyle::Ephemeral;
    const auto resident = snapshot.residentBefore(s);
    return std::find(resident.begin(), resident.end(), t) != resident.end() ? EdgeStyle::Retained
                                                                            : EdgeStyle::Spilled;
}

} // namespace tilewright::ui
