// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/selection.h"

#include "workspace/schedule_edits.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright::ui {

void Selection::set(SelectionState state)
{
    if (m_filter)
        m_filter(state);
    if (state == m_state)
        return;
    m_state = std::move(state);
    Q_EMIT changed();
}

void Selection::setHover(const HoverState& hover)
{
    if (hover == m_hover)
        return;
    m_hover = hover;
    Q_EMIT hoverChanged();
}

void Selection::selectSubgraph(std::optional<SubgraphId> subgraph)
{
    SelectionState next = m_state;
    if (next.subgraph != subgraph)
        next.step = 0;
    next.subgraph = subgraph;
    next.subgraphs.clear();
    if (subgraph)
        next.subgraphs.insert(*subgraph);
    next.ops.clear();
    next.tensor.reset();
    set(std::move(next));
}

void Selection::selectOps(std::set<OpId> ops)
{
    SelectionState next = m_state;
    next.ops = std::move(ops);
    next.tensor.reset();
    set(std::move(next));
}

void Selection::selectTensor(std::optional<TensorId> tensor)
{
    SelectionState next = m_state;
    next.tensor = tensor;
    set(std::move(next));
}

void Selection::setStep(std::int64_t step)
{
    SelectionState next = m_state;
    next.step = step;
    set(std::move(next));
}

SelectionState withOps(const Schedule& schedule, const SelectionState& state, std::set<OpId> ops)
{
    SelectionState next = state;
    next.tensor.reset();
    next.subgraphs.clear();
    std::optional<SubgraphId> home; // subgraph that contains all these ops
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

SelectionState followed(const Schedule& before, const Schedule& after, SelectionState state)
{
    std::unordered_map<const Subgraph*, std::size_t> places;
    for (std::size_t i = 0; i < after.size(); ++i)
        places.emplace(after.subgraphs[i].get(), i);
    const auto placeOf = [&](SubgraphId id) -> std::optional<SubgraphId> {
        if (id.index() >= before.size())
            return std::nullopt;
        const SubgraphPtr& old = before.subgraphs[id.index()];
        // Unchanged subgraphs keep their pointers. The same position is checked first, because duplicates
        // share a pointer.
        if (id.index() < after.size() && after.subgraphs[id.index()] == old)
            return id;
        if (const auto it = places.find(old.get()); it != places.end())
            return SubgraphId(it->second);
        std::optional<SubgraphId> best;
        std::ptrdiff_t most = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            const auto& in = after.subgraphs[i]->ops;
            const auto common = std::count_if(old->ops.begin(), old->ops.end(), [&](OpId op) {
                return std::find(in.begin(), in.end(), op) != in.end();
            });
            if (common > most) {
                most = common;
                best = SubgraphId(i);
            }
        }
        return best;
    };
    std::set<SubgraphId> subgraphs;
    for (const SubgraphId id : state.subgraphs)
        if (const auto place = placeOf(id))
            subgraphs.insert(*place);
    state.subgraphs = std::move(subgraphs);
    if (state.subgraph)
        state.subgraph = placeOf(*state.subgraph);
    if (state.ops.empty())
        return state;
    const auto tensor = state.tensor;
    std::set<OpId> ops = state.ops;
    state = withOps(after, state, std::move(ops));
    state.tensor = tensor;
    return state;
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
                                             : std::any_of(in.begin(), in.end(),
                                                           [&](OpId op) { return state.ops.count(op) > 0; });
        if (meant)
            ops.insert(in.begin(), in.end());
    }
    if (!ops.empty())
        selection.set(withOps(schedule, state, std::move(ops)));
}

} // namespace tilewright::ui
