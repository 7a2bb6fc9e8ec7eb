// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <unordered_map>
#include <vector>

namespace tilewright::ui {

/// Colours of subgraphs as indices into Theme::categorical. Greedy colouring: neighbours in the graph or in
/// the schedule get different colours, as far as eight hues suffice. After edits a subgraph keeps its colour
/// unless it conflicts.
class SubgraphColours
{
public:
    void update(const Problem& problem, const Schedule& schedule);
    [[nodiscard]] const std::vector<std::size_t>& colours() const { return m_colours; }

private:
    struct OpsHash
    {
        std::size_t operator()(const std::vector<OpId>& ops) const noexcept;
    };

    std::vector<std::size_t> m_colours;
    std::vector<SubgraphPtr> m_subgraphs; ///< the subgraphs to which m_colours belongs
    /// Colours of earlier subgraphs by their ops.
    std::unordered_map<std::vector<OpId>, std::size_t, OpsHash> m_remembered;
};

} // namespace tilewright::ui
