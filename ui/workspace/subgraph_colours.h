// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <unordered_map>
#include <vector>

namespace tilewright::ui {

/// Indices into Theme::categorical, one a subgraph: greedy colouring so that subgraphs that are neighbours in
/// the graph or in the schedule differ where eight hues allow it. A subgraph keeps its colour through edits
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
    std::vector<SubgraphPtr> m_of; // the subgraphs that m_colours belongs to
    /// By ops: the identity a person sees.
    std::unordered_map<std::vector<OpId>, std::size_t, OpsHash> m_remembered;
};

} // namespace tilewright::ui
