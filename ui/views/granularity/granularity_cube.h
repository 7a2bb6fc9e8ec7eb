// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "schedule/grid.h"
#include "snapshot/snapshot.h"

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
    TileGrid customGrid; ///< the grid that a custom order was drawn for; other grids use raster order
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
        SuperNative, ///< R4.1, R4.2
        Forbidden,   ///< R4.3, R4.7; or no granularity is legal (R4.4, R4.5)
    };
    State state = State::Forbidden;
    IssueCode issue = IssueCode::Format; ///< for SuperNative and Forbidden
    double latency = 0;
    std::int64_t peak = 0;
    std::int64_t rows = 0, cols = 0, steps = 0;
};

/// The cost of every useful granularity of a subgraph. Immutable.
struct GranularityCube
{
    CubeKey key;
    std::vector<std::int64_t> widths, heights, depths; ///< ascending
    std::vector<CubeCell> cells;                       ///< (depth * heights + height) * widths + width
    double low = 0, high = 0;                          ///< latencies of the cells that fit; 0 if none fits
    std::optional<std::size_t> best;                   ///< index of the fastest cell that fits
    bool hasDepth = false;                             ///< false: no MatMul, so that k has no effect

    [[nodiscard]] std::size_t index(std::size_t w, std::size_t h, std::size_t k) const
    {
        return (k * heights.size() + h) * widths.size() + w;
    }
    [[nodiscard]] Granularity granularity(std::size_t index) const;
    [[nodiscard]] bool covers(const Granularity& g) const;
    /// The fastest cell of one depth that fits; among equally fast ones the one with the fewest steps.
    [[nodiscard]] std::optional<std::size_t> bestOfDepth(std::size_t k) const;
    /// The depth at which this tile shape fits and is fastest; the given depth if it fits at none.
    [[nodiscard]] std::size_t bestDepth(std::size_t w, std::size_t h, std::size_t otherwise) const;
};

/// Useful sizes along an axis of a map: at most about 20, including `current`. Above `native` only twice its
/// size, to show where it ends.
[[nodiscard]] std::vector<std::int64_t> mapSizes(std::int64_t extent, std::int64_t native,
                                                 std::int64_t current);

/// Null if stopped.
[[nodiscard]] std::shared_ptr<const GranularityCube> buildCube(const CubeKey& key, const Granularity& current,
                                                               const Progress& progress);

} // namespace tilewright::ui
