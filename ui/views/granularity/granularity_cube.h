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

/// What the costs of a subgraph's granularities depend on.
struct CubeKey
{
    ProblemPtr problem;
    std::vector<OpId> ops;
    std::vector<TensorId> resident;
    std::vector<TensorId> retain;
    Traversal traversal;
    TileGrid customGrid; ///< the grid to which a custom order belongs; others are visited in raster order
    Rules rules;
    bool operator==(const CubeKey&) const = default;
};
[[nodiscard]] CubeKey cubeKey(const Snapshot& snapshot, SubgraphId subgraph);

/// One granularity.
struct CubeCell
{
    enum class State : std::uint8_t {
        Fits,
        OutOfMemory, ///< could run if fast memory were larger; latency is known
        SuperNative, ///< R4.1, R4.2
        Forbidden,   ///< R4.3, R4.7, or nothing can help (R4.4, R4.5)
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
    double low = 0, high = 0;                          ///< latencies of the cells that fit; 0 when none does
    std::optional<std::size_t> best;                   ///< index of the fastest cell that fits
    bool hasDepth = false;                             ///< false: without a MatMul k has no meaning

    [[nodiscard]] std::size_t index(std::size_t w, std::size_t h, std::size_t k) const
    {
        return (k * heights.size() + h) * widths.size() + w;
    }
    [[nodiscard]] Granularity granularity(std::size_t index) const;
    [[nodiscard]] bool covers(const Granularity& g) const;
    /// The fastest of one depth that fits; of equally fast ones that with the fewest steps.
    [[nodiscard]] std::optional<std::size_t> bestOfDepth(std::size_t k) const;
    /// The depth at which this tile shape is fastest and fits; the given one when it fits at none.
    [[nodiscard]] std::size_t bestDepth(std::size_t w, std::size_t h, std::size_t otherwise) const;
};

/// Useful sizes along an axis for a map: at most about 20, always with `current`; above `native` only twice
/// of it, to show where it ends.
[[nodiscard]] std::vector<std::int64_t> mapSizes(std::int64_t extent, std::int64_t native,
                                                 std::int64_t current);

/// Null when stopped.
[[nodiscard]] std::shared_ptr<const GranularityCube> buildCube(const CubeKey& key, const Granularity& current,
                                                               const Progress& progress);

} // namespace tilewright::ui
