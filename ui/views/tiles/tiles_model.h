// SPDX-License-Identifier: GPL-3.0-or-later
// The tile grid as data: cost of each tile, order of the tiles, order drawn by hand.
#pragma once

#include "eval/step_table.h"
#include "schedule/schedule.h"
#include "workspace/selection.h"
#include "workspace/trace_key.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

/// A traversal order drawn by hand: the tiles in the order in which the user visited them.
class OrderDrawing
{
public:
    OrderDrawing() = default;
    explicit OrderDrawing(const TileGrid& grid);

    /// The mouse moves to this tile: tiles on the straight line from the last one are added, each once.
    /// Moving back to the second-last tile removes the last one.
    void moveTo(std::int64_t tile);
    /// Adds only this tile; ignored if it is in the order already.
    void append(std::int64_t tile);
    void removeLast();
    /// Continues an order that was drawn before.
    void resume(const std::vector<std::int64_t>& tiles);

    [[nodiscard]] bool empty() const { return m_tiles.empty(); }
    [[nodiscard]] bool complete() const
    {
        return static_cast<std::int64_t>(m_tiles.size()) == m_grid.tiles();
    }
    [[nodiscard]] const std::vector<std::int64_t>& tiles() const { return m_tiles; }
    /// The whole order: the drawn tiles, then the others in their previous order.
    [[nodiscard]] std::vector<std::int64_t> completed(std::span<const std::int64_t> before) const;
    /// The completed order as a traversal, as a preset if one matches.
    [[nodiscard]] Traversal traversal(const Traversal& before) const;

private:
    TileGrid m_grid;
    std::vector<std::int64_t> m_tiles;
    std::vector<bool> m_drawn;
};

/// "0–3, 7–4, 8–12 ↓ …": an order as runs of neighbours along a row (along a column with an arrow), at most
/// `most` runs.
[[nodiscard]] QString orderRuns(std::span<const std::int64_t> order, std::int64_t cols, int most);

enum class TileColour { Latency, Bound, Loads, Order };

struct TilesOptions
{
    TileColour colour = TileColour::Latency;
};

/// The contents of the tile grid, without the mouse position.
struct TilesModel
{
    QString hint; ///< text shown instead of the grid, with the reason why there is none; empty: show the grid
    QString title;    ///< "Subgraph 3 · op4, op5 · 128 × 128 × 32"
    QString subtitle; ///< "4 × 4 tiles, snake, 64 steps"
    std::optional<SubgraphId> subgraph;
    TileGrid grid;
    TilesOptions options;
    std::shared_ptr<const TileTrace> trace; ///< trace of the subgraph; null while it is being computed
    std::int64_t capacity = 0;
    double subgraphStart = 0; ///< time at which the subgraph starts in the schedule
    double aspect = 1;        ///< height / width of a cell

    /// Position on the colour ramp, from 0 to 1; nullopt for a tile that the trace has not reached.
    [[nodiscard]] std::optional<double> intensity(std::int64_t tile) const;
};

/// Returns the subgraph that the detail views show: the selected one, or else the first one that computes a
/// selected op, or else the first one. nullopt if there are no subgraphs.
[[nodiscard]] std::optional<SubgraphId> shownSubgraph(const Snapshot& snapshot,
                                                      const SelectionState& selection);

/// Builds the model. `trace` is used only if it belongs to the shown subgraph.
[[nodiscard]] TilesModel buildTiles(const Snapshot* snapshot, const SelectionState& selection,
                                    std::shared_ptr<const TileTrace> trace, const TilesOptions& options);

/// A row of the step panel: a tensor, or an op that runs in the step.
struct StepRow
{
    enum class Kind { Loaded, Reused, Resident, Stored, Progress, Reserved, Run };
    Kind kind = Kind::Loaded;
    std::optional<TensorId> tensor;
    std::optional<OpId> op;
    QString name;
    QString detail;                     ///< "LHS, rows 0–127, columns 32–63"
    double amount = 0;                  ///< size in elements as the capacity counts them; for an op, its time
    std::int64_t height = 1, width = 1; ///< height and width of the tensor, for the small picture
    /// true if the tensor is a view, whose data is read from its base tensors (R1.7)
    bool isView = false;
    Rect slice; ///< part of the tensor that the small picture highlights
};

struct StepModel
{
    Step step;
    std::vector<StepRow> rows; ///< rows, sorted by Kind
    QString where;             ///< "Tile row 1, column 2"
    QString count;             ///< "visit 7 of 16 · k step 2 of 4 · step 25 of 64"
    /// reads through index maps (R1.8); maps with windows and the largest halo come first
    std::vector<MappedRead> reads;
    std::int64_t residentElements = 0; ///< the part of Step::reserved that was resident before the subgraph
};

[[nodiscard]] StepModel buildStep(const TileTrace& trace, std::int64_t step);

[[nodiscard]] QString stepRowHeading(StepRow::Kind kind);

/// Text in two lines on what the tile reads through the map (R1.8): its footprint, and how much of it is
/// halo.
[[nodiscard]] QStringList mappedReadTexts(const Problem& problem, const MappedRead& read);

/// Tooltip of a tile with exact numbers.
[[nodiscard]] QString tileTooltip(const TilesModel& model, std::int64_t tile);
/// Returns the steps as tab-separated text with full precision: one line per step, at most `limit` lines.
[[nodiscard]] QString stepsAsText(const TileTrace& trace, std::int64_t limit);

} // namespace tilewright::ui
