// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_cards.h"

#include "edit/edits.h"
#include "views/graph/graph_sections.h"

namespace tilewright::ui {

GraphShape withSubgraph(GraphShape shape, const std::vector<OpId>& ops, bool collapsed,
                        const GraphGeometry* geometry)
{
    for (OpId op : ops)
        shape.collapsed.erase(op);
    if (collapsed)
        shape.collapsed.insert(ops.front());
    else if (geometry && geometry->condensed)
        shape.opened.insert(ops.front());
    return shape;
}

GraphShape withSectionOpened(GraphShape shape, const GraphGeometry& geometry, std::size_t node)
{
    // Ops of one section; subgraphs that begin in it are opened by any of them.
    shape.opened.insert(OpId(geometry.keys[node].id));
    for (SubgraphId s : geometry.sections.at(node).subgraphs)
        shape.opened.insert(geometry.members[s.index()].front());
    return shape;
}

GraphShape withSectionClosed(GraphShape shape, const GraphModel& model, OpId op)
{
    const std::vector<std::uint32_t>& sectionOf = model.geometry->sectionOfOp;
    if (sectionOf.empty())
        return shape;
    // Where the first op of its subgraph lies.
    const Schedule& schedule = model.snapshot->schedule;
    const auto homes = subgraphsWith(schedule, op);
    const OpId first = homes.empty() ? op : schedule[homes.front()].ops.front();
    std::erase_if(shape.opened, [&, section = sectionOf[first.index()]](OpId o) {
        return sectionOf[o.index()] == section;
    });
    return shape;
}

GraphShape withAll(GraphShape shape, const Problem& problem, const Schedule& schedule, bool collapsed)
{
    shape.collapsed.clear();
    shape.opened.clear();
    if (problem.opCount() > kCardsAbove)
        shape.cards = collapsed;
    else if (collapsed)
        for (const SubgraphPtr& s : schedule.subgraphs)
            if (!s->ops.empty())
                shape.collapsed.insert(s->ops.front());
    return shape;
}

GraphShape withCards(GraphShape shape, bool on)
{
    shape.cards = on;
    shape.opened.clear();
    return shape;
}

GraphShape withNeighbourhood(GraphShape shape, const Problem* problem, const Schedule& schedule,
                             const SelectionState& selection, int hops)
{
    shape.focus.clear();
    shape.hops = 0;
    if (hops <= 0)
        return shape;
    shape.focus = selection.ops;
    if (shape.focus.empty())
        for (SubgraphId i : selection.subgraphs)
            if (i.index() < schedule.size())
                shape.focus.insert(schedule[i].ops.begin(), schedule[i].ops.end());
    if (shape.focus.empty() && selection.tensor) {
        const auto sources = problem->sources(*selection.tensor);
        const auto readers = problem->readers(*selection.tensor);
        shape.focus.insert(sources.begin(), sources.end());
        shape.focus.insert(readers.begin(), readers.end());
    }
    if (!shape.focus.empty())
        shape.hops = hops;
    return shape;
}

} // namespace tilewright::ui
