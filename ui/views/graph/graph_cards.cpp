// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_cards.h"

#include "edit/edits.h"
#include "views/graph/graph_sections.h"

#include <algorithm>

namespace tilewright::ui {

std::optional<std::uint32_t> GraphGeometry::sectionOf(OpId op) const
{
    if (op.index() >= sectionOfOp.size() || sectionOfOp[op.index()] == kNoSection)
        return std::nullopt;
    return sectionOfOp[op.index()];
}

const Repetition* GraphGeometry::repetitionOf(OpId op) const
{
    auto section = static_cast<std::size_t>(sectionOf(op).value_or(kNoSection));
    if (repetitions)
        for (const Repetition& repetition : *repetitions) { // their blocks are the first sections
            if (section < repetition.count())
                return &repetition;
            section -= repetition.count();
        }
    return nullptr;
}

bool drawsBlocks(const GraphShape& shape, const Problem& problem)
{
    return problem.opCount() > kCardsAbove ? shape.blocks : shape.blocksInSmall;
}

GraphShape withSubgraph(GraphShape shape, const std::vector<OpId>& ops, bool collapsed,
                        const GraphGeometry* geometry)
{
    for (OpId op : ops)
        shape.collapsed.erase(op);
    if (collapsed)
        shape.collapsed.insert(ops.front());
    else if (geometry && geometry->hasCards())
        shape.opened.insert(ops.front());
    return shape;
}

std::vector<OpId> opsToOpen(const GraphGeometry& geometry, std::size_t node, std::optional<OpId> wanted)
{
    const GraphSection& card = geometry.sections.at(node);
    if (!card.isStack())
        return card.ops;
    const auto& blocks = (*geometry.repetitions)[card.blocks->repetition].blocks;
    const auto first = blocks.begin() + static_cast<std::ptrdiff_t>(card.blocks->first);
    const auto last = first + static_cast<std::ptrdiff_t>(card.blocks->count);
    const auto block = std::find_if(first, last, [&](const std::vector<OpId>& ops) {
        return wanted && std::find(ops.begin(), ops.end(), *wanted) != ops.end();
    });
    return block != last ? *block : *first;
}

GraphShape withSectionOpened(GraphShape shape, const GraphGeometry& geometry, const std::vector<OpId>& ops)
{
    // Subgraphs that begin in the section are opened by any of their ops.
    const auto section = geometry.sectionOf(ops.front());
    shape.opened.insert(ops.front());
    for (const std::vector<OpId>& members : geometry.members)
        if (!members.empty() && section && geometry.sectionOf(members.front()) == section)
            shape.opened.insert(members.front());
    return shape;
}

GraphShape withSectionClosed(GraphShape shape, const GraphModel& model, OpId op)
{
    // Where the first op of its subgraph lies.
    const Schedule& schedule = model.snapshot->schedule;
    const auto homes = subgraphsWith(schedule, op);
    const OpId first = homes.empty() ? op : schedule[homes.front()].ops.front();
    if (const auto section = model.geometry->sectionOf(first))
        std::erase_if(shape.opened, [&](OpId o) { return model.geometry->sectionOf(o) == section; });
    return shape;
}

GraphShape withBlocksSpread(GraphShape shape, const GraphGeometry& geometry, OpId op)
{
    const Repetition* repetition = geometry.repetitionOf(op);
    if (repetition && !shape.spread.erase(repetition->blocks.front().front()))
        shape.spread.insert(repetition->blocks.front().front());
    return shape;
}

GraphShape withAll(GraphShape shape, const Problem& problem, const Schedule& schedule, bool collapsed)
{
    shape.collapsed.clear();
    shape.opened.clear();
    shape.spread.clear();
    if (problem.opCount() > kCardsAbove) {
        shape.cards = shape.blocks = collapsed;
        return shape;
    }
    shape.blocksInSmall = shape.blocksInSmall && collapsed;
    if (collapsed)
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

GraphShape withBlocks(GraphShape shape, bool GraphShape::*part, bool on)
{
    shape.*part = on;
    shape.opened.clear();
    shape.spread.clear();
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
