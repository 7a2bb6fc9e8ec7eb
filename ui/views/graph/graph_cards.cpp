// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_cards.h"

#include "edit/edits.h"
#include "schedule/alike.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/graph/graph_sections.h"

#include <algorithm>
#include <map>

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
        // The first sections of the geometry are the blocks of the repetitions.
        for (const Repetition& repetition : *repetitions) {
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
    // A subgraph whose section is that of `ops` is opened by any of its ops.
    const auto section = geometry.sectionOf(ops.front());
    shape.opened.insert(ops.front());
    for (const std::vector<OpId>& members : geometry.members)
        if (!members.empty() && section && geometry.sectionOf(members.front()) == section)
            shape.opened.insert(members.front());
    return shape;
}

GraphShape withSectionClosed(GraphShape shape, const GraphModel& model, OpId op)
{
    // A subgraph belongs to the section of its first op.
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

namespace {

/// Returns the sum of the latencies; nullopt if one of them is unknown.
std::optional<double> latencyOf(const Snapshot& snapshot, const std::vector<SubgraphId>& subgraphs)
{
    const auto& all = snapshot.evaluation.subgraphs;
    double sum = 0;
    for (const SubgraphId s : subgraphs) {
        if (s.index() >= all.size() || !all[s.index()].structurallyValid)
            return std::nullopt;
        sum += all[s.index()].latency;
    }
    return sum;
}

QString range(const QString& least, const QString& most)
{
    return least == most ? least : tr("%1 to %2").arg(least, most);
}

QString ops(std::size_t count)
{
    return counted(static_cast<std::int64_t>(count), tr("op"), tr("ops"));
}

/// Returns a text on the number of blocks whose schedule differs from that of most blocks.
QString alikeWords(const Problem& problem, const Schedule& schedule, const Repetition& repetition,
                   const GraphBlocks& blocks)
{
    const std::vector<std::size_t> like = scheduledLike(problem, schedule, repetition);
    std::map<std::size_t, std::size_t> counts;
    for (std::size_t b = blocks.first; b < blocks.first + blocks.count; ++b)
        ++counts[like[b]];
    std::size_t common = 0;
    for (const auto& [block, count] : counts)
        common = std::max(common, count);
    return counts.size() == 1 ? tr("all scheduled alike")
           : common == 1      ? tr("no two scheduled alike")
                              : tr("%1 of %2 scheduled differently")
                               .arg(number(blocks.count - common), number(blocks.count));
}

void describeBlocks(SectionWords& words, const GraphGeometry& geometry, const Snapshot& snapshot,
                    const GraphSection& section)
{
    const GraphBlocks& blocks = *section.blocks;
    const Repetition& repetition = (*geometry.repetitions)[blocks.repetition];
    const QString times = QStringLiteral("× %1").arg(number(blocks.count));
    words.title = QStringLiteral("%1–%2  %3")
                      .arg(QString::fromStdString(repetition.label(blocks.first)),
                           QString::number(repetition.numbers[blocks.first + blocks.count - 1]), times);
    words.brief = times;
    words.barOps = repetition.blocks[blocks.first];
    // A subgraph belongs to the block of its first op.
    std::vector<std::vector<SubgraphId>> each(blocks.count);
    const std::uint32_t first = *geometry.sectionOf(repetition.blocks[blocks.first].front());
    for (const SubgraphId s : section.subgraphs)
        each[*geometry.sectionOf(geometry.members[s.index()].front()) - first].push_back(s);
    words.bar = each.front();
    const auto [fewest, most] = std::minmax_element(
        each.begin(), each.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    words.detail =
        fewest->size() == most->size()
            ? tr("each %1 in %2")
                  .arg(ops(repetition.period()), counted(std::ssize(*most), tr("subgraph"), tr("subgraphs")))
            : tr("each %1 in %2 subgraphs")
                  .arg(ops(repetition.period()), range(number(fewest->size()), number(most->size())));
    if (!words.latency.isEmpty()) {
        std::vector<double> latency;
        latency.reserve(each.size());
        for (const auto& subgraphs : each)
            latency.push_back(*latencyOf(snapshot, subgraphs));
        const auto [least, longest] = std::minmax_element(latency.begin(), latency.end());
        words.latency = tr("%1, each %2").arg(words.latency, range(number(*least), number(*longest)));
    }
    words.alike = alikeWords(*geometry.problem, snapshot.schedule, repetition, blocks);
}

} // namespace

SectionWords sectionWords(const GraphGeometry& geometry, const Snapshot& snapshot,
                          const GraphSection& section)
{
    SectionWords words;
    words.bar = section.subgraphs;
    if (const auto latency = latencyOf(snapshot, section.subgraphs))
        words.latency = tr("latency %1").arg(number(*latency));
    if (section.isStack()) {
        describeBlocks(words, geometry, snapshot, section);
        return words;
    }
    words.barOps = section.ops;
    words.detail =
        tr("%1 ops in %2 subgraphs").arg(number(section.ops.size()), number(section.subgraphs.size()));
    std::vector<std::string> names;
    for (OpId op : section.ops)
        names.push_back(geometry.problem->opName(op));
    const std::string shared = commonNamePrefix(names);
    words.brief = QStringLiteral("%1–%2").arg(section.ops.front().value).arg(section.ops.back().value);
    words.title = tr("ops %1").arg(words.brief);
    if (section.blocks) {
        const Repetition& repetition = (*geometry.repetitions)[section.blocks->repetition];
        words.title = QString::fromStdString(repetition.label(section.blocks->first));
        words.brief = QString::number(repetition.numbers[section.blocks->first]);
    }
    if (shared.size() > geometry.namePrefix.size())
        words.title = withoutPrefix(shared.substr(0, shared.size() - 1), geometry.namePrefix);
    return words;
}

} // namespace tilewright::ui
