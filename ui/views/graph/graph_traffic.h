// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

#include <stop_token>
#include <unordered_map>

namespace tilewright::ui {

/// The traffic of the subgraphs of the last schedule: of the next one only what an edit touched is counted.
/// For one worker at a time.
class TrafficMemory
{
public:
    /// What is out of reach (too many steps, a broken rule) stands as an empty list.
    [[nodiscard]] GraphTraffic count(const Snapshot& snapshot, std::stop_token stop = {});
    /// Subgraphs that had to be counted since construction.
    [[nodiscard]] std::size_t counted() const { return m_counted; }

private:
    /// Figures of a subgraph in its place.
    struct Entry
    {
        SubgraphPtr subgraph; // keeps the pointer from being used again for another one
        std::vector<TensorId> resident;
        Rules rules;
        std::vector<TensorTraffic> traffic;
    };
    std::unordered_multimap<const Subgraph*, Entry> m_entries;
    std::size_t m_counted = 0;
};

} // namespace tilewright::ui
