// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_data.h"

#include "edit/fit.h"
#include "lower/on_machine.h"
#include "snapshot/take_snapshot.h"
#include "workspace/compared_model.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Lays out B first, so that A's nodes stay near B's positions, in as many columns, and common subgraphs have
/// the same colour.
void addGraphs(CompareData& data, std::array<GraphOptions, 2> options, SubgraphColours colours,
               const GraphMetrics& metrics, const Progress& progress)
{
    GraphShape shape;
    // Differences refer to ops; among thousands of ops, only cards that contain them are visible.
    shape.cards = !data.models && std::ranges::all_of(data.snapshots, [](const SnapshotPtr& snapshot) {
        return snapshot->problem->opCount() > kCardsAbove;
    });
    shape.blocks = shape.cards;
    std::shared_ptr<const GraphGeometry> beside;
    for (const std::size_t side : {1U, 0U}) {
        const SnapshotPtr& own = data.snapshots[side];
        const SnapshotPtr& other = data.snapshots[1 - side];
        colours.update(*own->problem, own->schedule);
        const bool same = beside && beside->problem == own->problem;
        const auto layout =
            layOutGraph(own->problem, own->schedule, shape, metrics, same ? beside.get() : nullptr, progress);
        if (!layout)
            return;
        beside = std::make_shared<const GraphGeometry>(*layout);
        options[side].edgeLabels = false;
        data.graphs[side] = buildGraph(own, other.get(), colours.colours(), options[side], beside);
    }
}

} // namespace

bool isComparable(const Snapshot& a, const Snapshot& b)
{
    return a.problem == b.problem || lower::sameGraph(*a.problem, *b.problem);
}

std::set<OpId> CompareData::across(std::size_t from, const std::set<OpId>& ops) const
{
    if (!models)
        return ops;
    std::set<OpId> out;
    for (const OpId op : ops)
        if (op.index() < counterparts[from].size())
            out.insert(counterparts[from][op.index()].begin(), counterparts[from][op.index()].end());
    return out;
}

CompareDataPtr compareData(const SnapshotPtr& a, const SnapshotPtr& b, const std::array<QString, 2>& names,
                           const SubgraphColours& colours, const GraphMetrics& metrics, std::stop_token stop)
{
    auto data = std::make_shared<CompareData>();
    data->snapshots = {a, b};
    data->names = names;
    const Progress progress{stop, {}};
    data->comparison = compareSchedules(b->problem, a->schedule, b->schedule, b->evaluation.rules, progress);
    data->totals = {data->comparison.before, data->comparison.after};
    data->otherHardware =
        a->problem->hardware() != b->problem->hardware() || a->problem->data().ops != b->problem->data().ops;
    if (data->otherHardware) // the schedules are evaluated separately
        data->totals = {a->evaluation.total, b->evaluation.total};
    data->table = differencesOf(data->comparison);
    addGraphs(*data, {}, colours, metrics, progress);
    return data;
}

CompareDataPtr compareData(const lower::ModelsOnMachinePtr& models, const std::array<QString, 2>& names,
                           const GraphMetrics& metrics, std::stop_token stop)
{
    auto data = std::make_shared<CompareData>();
    data->models = models;
    data->names = names;
    data->totals = models->totalCycles;
    data->table = differencesOf(*models);
    std::array<GraphOptions, 2> options;
    for (const std::size_t side : {0U, 1U}) {
        const ProblemPtr& problem = models->models[side]->problem;
        data->snapshots[side] = takeSnapshot(problem, oneOpPerSubgraph(*problem), Rules::final(), 0, 0);
        data->counterparts[side].resize(problem->opCount());
        options[side].colouring = GraphColouring::Change;
        options[side].changes = changesOf(*models, side);
    }
    for (const DifferenceRow& row : data->table.rows)
        for (const std::size_t side : {0U, 1U})
            for (const OpId op : row.ops[side])
                data->counterparts[side][op.index()] = row.ops[1 - side];
    addGraphs(*data, std::move(options), {}, metrics, Progress{stop, {}});
    return data;
}

} // namespace tilewright::ui
