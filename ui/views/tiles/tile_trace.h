// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/step_table.h"
#include "schedule/grid.h"
#include "workspace/trace_key.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// The cost of one tile: sums over its k steps.
struct TileSums
{
    double latency = 0, compute = 0, memory = 0;
    std::int64_t loadElements = 0, storeElements = 0;
    std::int64_t peakWorkingSet = 0;
    std::int32_t visit = -1; ///< position in the traversal; -1 = not reached by the trace
    [[nodiscard]] Bound bound() const noexcept
    {
        return compute > memory ? Bound::Compute : compute < memory ? Bound::Memory : Bound::Balanced;
    }
};

/// The steps of a subgraph and the sums of its tiles. Computed in the background, immutable.
struct TileTrace
{
    TraceKey key;
    TileGrid grid;
    std::shared_ptr<const StepTable> steps;
    std::vector<TileSums> tiles; ///< sums of each tile, by tile index
    double lowLatency = 0, highLatency = 0;
    std::int64_t lowLoad = 0, highLoad = 0;
    /// Fractions of the last row and column that are inside the tensor (R5.2); 1 if the tile size divides the
    /// tensor.
    double lastRow = 1, lastCol = 1;
};

/// Grids with more tiles than this are not traced tile by tile.
inline constexpr std::int64_t kMaxTiles = StepTable::kMaxSteps;

/// Null if stopped.
[[nodiscard]] std::shared_ptr<const TileTrace> buildTileTrace(const TraceKey& key, const Progress& progress,
                                                              std::int64_t expectedSteps);

} // namespace tilewright::ui
