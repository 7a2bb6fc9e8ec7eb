// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <map>
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
    std::vector<std::size_t> m_colours;
    std::map<std::vector<OpId>, std::size_t> m_remembered; // by ops: the identity a person sees
};

} // namespace tilewright::ui
