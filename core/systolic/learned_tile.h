// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/tile_search.h"

#include <span>
#include <vector>

namespace tilewright::systolic {

/// One solved GEMM of the training set: exhaustive optima on a 16x16 array for both footprints.
struct TileTrainingRow
{
    std::int64_t m, n, k;
    std::int64_t cap; ///< elements
    std::int64_t tiConservative, tjConservative;
    std::int64_t tiAggressive, tjAggressive;
    bool operator==(const TileTrainingRow&) const = default;
};

inline constexpr std::size_t kTrainingRows = 3000;
inline constexpr std::uint64_t kTrainingSeed = 20260101;

/// Generates and solves `count` GEMMs (log-uniform sizes 1..8192, capacities 1 Ki..1 Mi elements).
[[nodiscard]] std::vector<TileTrainingRow> generateTileTraining(std::size_t count, std::uint64_t seed);
/// The rows compiled in; equal to generateTileTraining(kTrainingRows, kTrainingSeed).
[[nodiscard]] std::span<const TileTrainingRow> builtInTileTraining() noexcept;
/// The text of core/systolic/tile_training_data.inc for these rows.
[[nodiscard]] std::string tileTrainingText(std::span<const TileTrainingRow> rows);

/// Kernel regression (Specht's general regression neural network) over log2(M, N, K, cap) for log2 Ti and
/// log2 Tj; the prediction is snapped to the candidates around it and repaired to fit.
[[nodiscard]] Result<TileChoice> learnedTile(const TileQuery& query,
                                             std::span<const TileTrainingRow> training);

/// How good the selector is on GEMMs that it was not trained on.
struct LearnedQuality
{
    std::size_t cases = 0;
    std::size_t within10Percent = 0; ///< traffic at most 1.1 times the optimum
    std::size_t optimal = 0;
    double worstRatio = 1;
    double meanRatio = 1;
    [[nodiscard]] double share() const noexcept
    {
        return cases == 0 ? 0 : static_cast<double>(within10Percent) / static_cast<double>(cases);
    }
};

/// Held-out quality for both footprints on `array`; the seed must differ from the training's.
[[nodiscard]] LearnedQuality measureLearned(std::size_t count, std::uint64_t seed, const ArrayShape& array);

} // namespace tilewright::systolic
