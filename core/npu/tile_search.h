// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "npu/run.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::npu {

/// A candidate for the tile sizes of an operator, with its simulated time.
struct TileCandidate
{
    TileSizes tile;
    Cycle bound = 0; ///< lower bound on the cycles of the operator alone
    /// Cycles of a run of the operator alone; nullopt = not simulated to the end.
    std::optional<Cycle> cycles;
    std::int64_t dramBytes = 0; ///< DRAM traffic of the simulated run, in bytes
};

/// Search result for a group of equal operators, which get equal tiles.
struct OperatorTiles
{
    std::vector<std::uint32_t> ops;        ///< indices in the model of the operators of the group, ascending
    std::vector<TileCandidate> candidates; ///< the first candidate is the tile before the search
    std::size_t fastest = 0; ///< index of the candidate that is fastest when an operator runs alone
    std::size_t chosen = 0;  ///< index of the candidate that is chosen by runs of the whole model
    bool proven = false;     ///< true if proven that no candidate is faster than `fastest`
};

/// Result of a search for tile sizes (docs/rules/npu.md 2.8).
struct TileSearch
{
    std::vector<OpTiling> tiling; ///< argument of withTiling()
    std::vector<OperatorTiles> operators;
    Cycle before = 0, after = 0; ///< makespans of the model in cycles, with the old and the new tiles
    std::int64_t bytesBefore = 0, bytesAfter = 0;
    std::int64_t runs = 0; ///< number of simulations

    /// The entry of an operator; null if the operator has no tile sizes.
    [[nodiscard]] const OperatorTiles* of(std::size_t op) const noexcept;
};

struct TileSearchOptions
{
    /// Search budget in simulated event times. `stepsOfOperators`: for all runs of single operators together.
    /// `stepsOfRuns`: for runs of the whole model. The budget is not wall time, so that the result is the
    /// same on every computer.
    std::int64_t stepsOfOperators = 20'000'000;
    std::int64_t stepsOfRuns = 32'000'000;
    double patience = 1;            ///< above 1: simulates candidates up to this multiple of the best time
    std::size_t mostNodes = 40'000; ///< skips candidates with more nodes
    bool keepsBest = false;         ///< when stopped, returns the best result so far instead of an Error
};

/// Searches the tile sizes with the least simulated time. First each operator is simulated alone with every
/// candidate whose lower bound is below its best time. Then runs of the whole model decide for each operator
/// between its fastest candidates and its current tile. The current tile is replaced only by a faster one.
[[nodiscard]] Result<TileSearch> searchTiles(const NpuModel& model, const NpuHardware& hardware,
                                             const RunOptions& options, const TileSearchOptions& limits = {},
                                             const Progress& progress = {});

/// The tiling in which the operators `ops`, and the KV loads that feed them, have the tile `tile`.
[[nodiscard]] std::vector<OpTiling> withTile(const NpuModel& model, std::vector<OpTiling> tiling,
                                             std::span<const std::uint32_t> ops, const TileSizes& tile);

/// A model that consists of one operator and the KV loads that feed it. The search simulates candidates on
/// it.
[[nodiscard]] NpuModel operatorAlone(const NpuModel& model, std::size_t op, const TileSizes& tile);

} // namespace tilewright::npu
