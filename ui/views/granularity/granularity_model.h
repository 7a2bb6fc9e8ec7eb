// SPDX-License-Identifier: GPL-3.0-or-later
// The granularity map as data: the cube of all costs, and the layer that is shown.
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "schedule/schedule.h"
#include "snapshot/snapshot.h"
#include "workspace/selection.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::ui {

/// All inputs that the costs of a subgraph's granularities depend on.
struct CubeKey
{
    ProblemPtr problem;
    std::vector<OpId> ops;
    std::vector<TensorId> resident;
    std::vector<TensorId> retain;
    Traversal traversal;
    TileGrid customGrid; ///< the grid for which the custom order was drawn; other grids use raster order
    Rules rules;
    bool operator==(const CubeKey&) const = default;
};
[[nodiscard]] CubeKey cubeKey(const Snapshot& snapshot, SubgraphId subgraph);

/// The result for one granularity.
struct CubeCell
{
    enum class State : std::uint8_t {
        Fits,
        OutOfMemory, ///< does not fit, but has a known latency
        SuperNative, ///< larger than the native tile (R4.1, R4.2)
        Forbidden,   ///< not legal (R4.3, R4.7), or no granularity is legal (R4.4, R4.5)
    };
    State state = State::Forbidden;
    IssueCode issue = IssueCode::Format; ///< the violated rule, for SuperNative and Forbidden cells
    double latency = 0;
    double peak = 0;
    std::int64_t rows = 0, cols = 0, steps = 0;
};

/// The cost of every useful granularity of a subgraph. Immutable. k is called depth here.
struct GranularityCube
{
    CubeKey key;
    std::vector<std::int64_t> widths, heights, depths; ///< sizes w, h and k of the axes, ascending
    std::vector<CubeCell> cells;                       ///< index: (depth * heights + height) * widths + width
    double low = 0, high = 0;        ///< lowest and highest latency of the cells that fit; 0 if none fits
    std::optional<std::size_t> best; ///< index of the fastest cell that fits
    bool hasDepth = false;           ///< false if there is no MatMul, so that k has no effect

    [[nodiscard]] std::size_t index(std::size_t w, std::size_t h, std::size_t k) const
    {
        return (k * heights.size() + h) * widths.size() + w;
    }
    [[nodiscard]] Granularity granularity(std::size_t index) const;
    [[nodiscard]] bool covers(const Granularity& g) const;
    /// Returns the fastest cell of one depth that fits. Of equally fast cells it is the one with the fewest
    /// steps.
    [[nodiscard]] std::optional<std::size_t> bestOfDepth(std::size_t k) const;
    /// Returns the depth at which this tile shape fits and is fastest; the current depth if it fits at none.
    [[nodiscard]] std::size_t bestDepth(std::size_t w, std::size_t h, std::size_t otherwise) const;
};

/// Useful sizes along an axis of a map: at most about 20, including `current`. Above `native` the only size
/// is twice `native`, which shows where the legal sizes end.
[[nodiscard]] std::vector<std::int64_t> mapSizes(std::int64_t extent, std::int64_t native,
                                                 std::int64_t current);

/// Computes the cube. Null if stopped.
[[nodiscard]] std::shared_ptr<const GranularityCube> buildCube(const CubeKey& key, const Granularity& current,
                                                               const Progress& progress);

/// The contents of the map: one depth of the cube, or the best depth for every tile shape.
struct GranularityModel
{
    QString hint;
    QString owner; ///< "Subgraph 3"
    QString title;
    QString subtitle;
    std::optional<SubgraphId> subgraph;
    std::shared_ptr<const GranularityCube> cube; ///< null while it is being computed
    /// cell of the cube at each position of the map (height * widths + width)
    std::vector<std::size_t> shown;
    std::optional<std::size_t> current; ///< position in `shown` of the current granularity
    std::size_t here = 0;               ///< position in `shown` of the current w and h, whatever k is
    std::optional<std::size_t> best;    ///< position in `shown` of the fastest cell that fits
    double currentLatency = 0;
    std::int64_t capacity = 0;
    double low = 0, high = 0; ///< lowest and highest latency of the cells in `shown` that fit

    [[nodiscard]] const CubeCell& cell(std::size_t position) const { return cube->cells[shown[position]]; }
    /// Position of a latency on a logarithmic scale, from 0 (fastest) to 1.
    [[nodiscard]] double intensity(double latency) const;
};

/// Builds the map. `depth`: the k to show; nullopt: the best k for every tile shape.
[[nodiscard]] GranularityModel buildGranularity(const Snapshot* snapshot, std::optional<SubgraphId> subgraph,
                                                std::shared_ptr<const GranularityCube> cube,
                                                std::optional<std::int64_t> depth);
/// A cell in one line, for keyboard users: size, latency, change, working set, or the reason why it cannot be
/// used.
[[nodiscard]] QString granularityReadout(const GranularityModel& model, std::size_t position);
[[nodiscard]] QString granularityTooltip(const GranularityModel& model, std::size_t position);
[[nodiscard]] QString granularityAsText(const GranularityCube& cube);

} // namespace tilewright::ui
