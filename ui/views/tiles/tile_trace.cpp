// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tiles/tile_trace.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Fraction of the last tile along an axis that is inside the tensor; the largest sink decides.
double lastFraction(const Problem& problem, const Subgraph& subgraph, bool rows)
{
    std::int64_t largest = 0;
    for (const TensorId t : boundaryOf(problem, subgraph.ops).sinks)
        largest = std::max(largest, rows ? problem.tensor(t).height : problem.tensor(t).width);
    const std::int64_t tile = rows ? subgraph.granularity.h : subgraph.granularity.w;
    const std::int64_t rest = largest % tile;
    return rest == 0 ? 1.0 : static_cast<double>(rest) / static_cast<double>(tile);
}

} // namespace

std::shared_ptr<const TileTrace> buildTileTrace(const TraceKey& key, const Progress& progress,
                                                std::int64_t expectedSteps)
{
    auto out = std::make_shared<TileTrace>();
    out->key = key;
    out->steps =
        StepTable::build(*key.problem, *key.subgraph, key.resident, key.rules, progress, expectedSteps);
    const StepTable& steps = *out->steps;
    if (steps.end() == StepTable::End::Stopped)
        return nullptr;
    if (steps.end() == StepTable::End::Invalid)
        return out;
    out->grid = tileGrid(*key.problem, key.subgraph->ops, key.subgraph->granularity);
    out->lastRow = lastFraction(*key.problem, *key.subgraph, true);
    out->lastCol = lastFraction(*key.problem, *key.subgraph, false);
    if (out->grid.tiles() > kMaxTiles)
        return out;
    out->tiles.resize(static_cast<std::size_t>(out->grid.tiles()));
    bool first = true;
    const auto visits = steps.visits();
    for (std::size_t v = 0; v < visits.size(); ++v) {
        TileSums& tile = out->tiles[static_cast<std::size_t>(visits[v].tile)];
        tile.visit = static_cast<std::int32_t>(v);
        const std::int64_t end = steps.visitEnd(static_cast<std::int64_t>(v));
        for (std::int64_t i = visits[v].firstStep; i < end; ++i) {
            const StepSums& s = steps.sums(i);
            tile.latency += s.latency;
            tile.compute += s.compute;
            tile.memory += s.memory;
            tile.loadElements += s.loadElements;
            tile.storeElements += s.storeElements;
            tile.peakWorkingSet = std::max(tile.peakWorkingSet, s.workingSet);
        }
        out->lowLatency = first ? tile.latency : std::min(out->lowLatency, tile.latency);
        out->highLatency = std::max(out->highLatency, tile.latency);
        out->lowLoad = first ? tile.loadElements : std::min(out->lowLoad, tile.loadElements);
        out->highLoad = std::max(out->highLoad, tile.loadElements);
        first = false;
    }
    return out;
}

} // namespace tilewright::ui
