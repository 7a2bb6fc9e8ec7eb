// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_data.h"

#include "workspace/subgraph_colours.h"

namespace tilewright::ui {

std::shared_ptr<const CompareData> compareData(const SnapshotPtr& a, const SnapshotPtr& b,
                                               const GraphMetrics& metrics, std::stop_token stop)
{
    auto data = std::make_shared<CompareData>();
    data->a = a;
    data->b = b;
    const Progress progress{stop, {}};
    data->comparison = compareSchedules(b->problem, a->schedule, b->schedule, b->evaluation.rules, progress);
    GraphShape shape;
    shape.cards = false; // differences are about ops
    // B first: a subgraph that both have gets the same colour, and A's nodes stay near B's places, in as many
    // columns.
    SubgraphColours colours;
    colours.update(*b->problem, b->schedule);
    const auto layoutB = layOutGraph(b->problem, b->schedule, shape, metrics, nullptr, progress);
    if (!layoutB)
        return data;
    const auto geometryB = std::make_shared<const GraphGeometry>(*layoutB);
    GraphOptions options;
    options.edgeLabels = false;
    data->graphB = buildGraph(b, a.get(), colours.colours(), options, geometryB);
    colours.update(*a->problem, a->schedule);
    const auto layoutA = layOutGraph(a->problem, a->schedule, shape, metrics, geometryB.get(), progress);
    if (layoutA)
        data->graphA = buildGraph(a, b.get(), colours.colours(), options,
                                  std::make_shared<const GraphGeometry>(*layoutA));
    return data;
}

} // namespace tilewright::ui
