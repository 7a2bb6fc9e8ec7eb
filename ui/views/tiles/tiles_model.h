// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/tiles/tile_trace.h"
#include "workspace/selection.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

enum class TileColour { Latency, Bound, Loads, Order };

struct TilesOptions
{
    TileColour colour = TileColour::Latency;
};

/// The contents of the tile grid, without the mouse position.
struct TilesModel
{
    QString hint;     ///< shown instead of a grid: why there is none
    QString title;    ///< "Subgraph 3 · op4, op5 · 128 × 128 × 32"
    QString subtitle; ///< "4 × 4 tiles, snake, 64 steps"
    std::optional<SubgraphId> subgraph;
    TileGrid grid;
    TilesOptions options;
    std::shared_ptr<const TileTrace> trace; ///< null while it is being computed
    std::int64_t capacity = 0;
    double subgraphStart = 0; ///< time at which the subgraph starts in the schedule
    double aspect = 1;        ///< height / width of a cell

    /// Position on the colour ramp, 0..1; nullopt for a tile that the trace has not reached.
    [[nodiscard]] std::optional<double> intensity(std::int64_t tile) const;
};

/// The subgraph that the detail views show: the selected one, else the first that computes a selected op,
/// else the first. nullopt without subgraphs.
[[nodiscard]] std::optional<SubgraphId> shownSubgraph(const Snapshot& snapshot,
                                                      const SelectionState& selection);

/// `trace` is used if it belongs to the shown subgraph.
[[nodiscard]] TilesModel buildTiles(const Snapshot* snapshot, const SelectionState& selection,
                                    std::shared_ptr<const TileTrace> trace, const TilesOptions& options);

/// One line of the step panel: a tensor, or an op that runs.
struct StepRow
{
    enum class Kind { Loaded, Reused, Resident, Stored, Progress, Reserved, Run };
    Kind kind = Kind::Loaded;
    std::optional<TensorId> tensor;
    std::optional<OpId> op;
    QString name;
    QString detail;                     ///< "LHS, rows 0–127, columns 32–63"
    double amount = 0;                  ///< number of elements; for an op, its time
    std::int64_t height = 1, width = 1; ///< size of the tensor, for the small picture
    /// true if the tensor is a view, whose data is read from its base tensors (R1.7)
    bool isView = false;
    Rect slice; ///< part of the tensor that the small picture highlights
};

struct StepModel
{
    Step step;
    std::vector<StepRow> rows;         ///< sorted by Kind
    QString where;                     ///< "Tile row 1, column 2"
    QString count;                     ///< "visit 7 of 16 · k step 2 of 4 · step 25 of 64"
    std::int64_t residentElements = 0; ///< part of Step::reserved that was resident before the subgraph
};

[[nodiscard]] StepModel buildStep(const TileTrace& trace, std::int64_t step);

[[nodiscard]] QString stepRowHeading(StepRow::Kind kind);

/// A tile with exact numbers, for the tooltip.
[[nodiscard]] QString tileTooltip(const TilesModel& model, std::int64_t tile);
/// One line per step, tab-separated, full precision; at most `limit` steps.
[[nodiscard]] QString stepsAsText(const TileTrace& trace, std::int64_t limit);

} // namespace tilewright::ui
