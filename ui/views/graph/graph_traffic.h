// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

#include <stop_token>
#include <unordered_map>

namespace tilewright::ui {

/// A cache of the traffic of subgraphs: for the next schedule only changed subgraphs are counted. Not
/// thread-safe.
class TrafficMemory
{
public:
    /// Subgraphs that cannot be counted (too many steps, a broken rule) have an empty list.
    [[nodiscard]] GraphTraffic count(const Snapshot& snapshot, std::stop_token stop = {});
    /// Number of subgraphs counted since construction.
    [[nodiscard]] std::size_t counted() const { return m_counted; }

private:
    /// The traffic of a subgraph in its context.
    struct Entry
    {
        SubgraphPtr subgraph; // keeps the subgraph alive, so that its address is not reused
        std::vector<TensorId> resident;
        Rules rules;
        std::vector<TensorTraffic> traffic;
    };
    std::unordered_multimap<const Subgraph*, Entry> m_entries;
    std::size_t m_counted = 0;
};

} // namespace tilewright::ui
