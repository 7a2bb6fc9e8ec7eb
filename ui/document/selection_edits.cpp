// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/selection_edits.h"

#include "document/schedule_edits.h"

#include <algorithm>

namespace tilewright::ui {

SelectionState withOps(const Schedule& schedule, const SelectionState& state, std::set<OpId> ops)
{
    SelectionState next = state;
    next.tensor.reset();
    next.subgraphs.clear();
    std::optional<SubgraphId> home; // has them all
    bool currentHasSome = false;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto& in = schedule.subgraphs[i]->ops;
        const auto chosen = static_cast<std::size_t>(
            std::count_if(in.begin(), in.end(), [&](OpId op) { return ops.count(op) > 0; }));
        if (chosen == 0)
            continue;
        if (chosen == in.size())
            next.subgraphs.insert(SubgraphId(i));
        if (chosen == ops.size() && (!home || state.subgraph == SubgraphId(i)))
            home = SubgraphId(i);
        currentHasSome = currentHasSome || state.subgraph == SubgraphId(i);
    }
    if (home && next.subgraphs.empty())
        next.subgraphs.insert(*home);
    if (!state.subgraph || next.subgraphs.count(*state.subgraph) == 0) {
        next.subgraph = home                      ? home
                        : !next.subgraphs.empty() ? std::optional(*next.subgraphs.begin())
                        : currentHasSome          ? state.subgraph
                                                  : std::nullopt;
        if (next.subgraph != state.subgraph)
            next.step = 0;
    }
    next.ops = std::move(ops);
    return next;
}

void selectAllOps(const Document& document, Selection& selection)
{
    if (!document.hasProblem())
        return;
    std::set<OpId> ops;
    for (std::size_t i = 0; i < document.problem()->opCount(); ++i)
        ops.insert(ops.end(), OpId(i));
    selection.set(withOps(document.schedule(), selection.state(), std::move(ops)));
}

void invertSelection(const Document& document, Selection& selection)
{
    if (!document.hasProblem())
        return;
    const SelectionState& state = selection.state();
    if (state.ops.empty() && !state.subgraphs.empty()) {
        SelectionState next = state;
        next.subgraphs.clear();
        for (std::size_t i = 0; i < document.schedule().size(); ++i)
            if (state.subgraphs.count(SubgraphId(i)) == 0)
                next.subgraphs.insert(SubgraphId(i));
        next.subgraph = next.subgraphs.empty() ? std::nullopt : std::optional(*next.subgraphs.begin());
        next.step = 0;
        selection.set(std::move(next));
        return;
    }
    std::set<OpId> ops;
    for (std::size_t i = 0; i < document.problem()->opCount(); ++i)
        if (state.ops.count(OpId(i)) == 0)
            ops.insert(ops.end(), OpId(i));
    selection.set(withOps(document.schedule(), state, std::move(ops)));
}

void selectSameSubgraph(const Document& document, Selection& selection)
{
    const SelectionState& state = selection.state();
    const Schedule& schedule = document.schedule();
    std::set<OpId> ops;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto& in = schedule.subgraphs[i]->ops;
        const bool meant = state.ops.empty() ? state.subgraphs.count(SubgraphId(i)) > 0
                                             : std::any_of(in.begin(), in.end(), [&](OpId op) {
                                                   return state.ops.count(op) > 0;
                                               });
        if (meant)
            ops.insert(in.begin(), in.end());
    }
    if (!ops.empty())
        selection.set(withOps(schedule, state, std::move(ops)));
}

} // namespace tilewright::ui
