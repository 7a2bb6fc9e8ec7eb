// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "npu/run.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::npu {

/// One way to cut an operator.
struct TileCandidate
{
    TileSizes tile;
    Cycle bound = 0;             ///< no run of the operator alone is shorter
    std::optional<Cycle> cycles; ///< of the operator alone, when it was simulated to its end
    std::int64_t dramBytes = 0;  ///< of that run
};

/// Operators of one shape, which are cut alike.
struct OperatorTiles
{
    std::vector<std::uint32_t> ops;        ///< of the model, ascending
    std::vector<TileCandidate> candidates; ///< the first is the one in force before
    std::size_t fastest = 0;               ///< of the operator alone
    std::size_t chosen = 0;                ///< within the whole run
    bool proven = false;                   ///< no candidate is faster than `fastest`
};

/// Tiles by search (docs/rules/npu.md 2.8).
struct TileSearch
{
    std::vector<OpTiling> tiling; ///< for withTiling()
    std::vector<OperatorTiles> operators;
    Cycle before = 0, after = 0; ///< makespans of the model
    std::int64_t bytesBefore = 0, bytesAfter = 0;
    std::int64_t runs = 0; ///< simulations

    /// The entry of an operator, none when it has no tile of its own.
    [[nodiscard]] const OperatorTiles* of(std::size_t op) const noexcept;
};

struct TileSearchOptions
{
    /// Steps that may be simulated for all operators alone, shared by what they take, and for whole runs:
    /// what the time of a search depends on, so that it is the same on every machine.
    std::int64_t stepsOfOperators = 20'000'000;
    std::int64_t stepsOfRuns = 32'000'000;
    double patience = 1; ///< above 1: candidates are also run until they take so many times the best
    std::size_t mostNodes = 40'000; ///< a candidate of more is left out
};

/// The tiles of least simulated time. Every operator is run alone under every candidate whose bound is below
/// the best so far; then the whole model decides between the fastest of each, and keeps what it had unless
/// another cut is faster.
[[nodiscard]] Result<TileSearch> searchTiles(const NpuModel& model, const NpuHardware& hardware,
                                             const RunOptions& options, const TileSearchOptions& limits = {},
                                             const Progress& progress = {});

/// The tiling with these operators cut so, and with them the KV loads that feed them.
[[nodiscard]] std::vector<OpTiling> withTile(const NpuModel& model, std::vector<OpTiling> tiling,
                                             std::span<const std::uint32_t> ops, const TileSizes& tile);

/// The operator alone, with the KV loads that feed it: what its candidates are timed on.
[[nodiscard]] NpuModel operatorAlone(const NpuModel& model, std::size_t op, const TileSizes& tile);

} // namespace tilewright::npu
