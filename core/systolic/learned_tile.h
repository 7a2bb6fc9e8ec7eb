// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/tile_search.h"

#include <span>
#include <vector>

namespace tilewright::systolic {

/// Training example: a GEMM with its exact optima on a 16x16 array for both footprints.
struct TileTrainingRow
{
    std::int64_t m, n, k;
    std::int64_t cap; ///< capacity of the level in elements
    std::int64_t tiConservative, tjConservative;
    std::int64_t tiAggressive, tjAggressive;
    bool operator==(const TileTrainingRow&) const = default;
};

inline constexpr std::size_t kTrainingRows = 3000;
inline constexpr std::uint64_t kTrainingSeed = 20260101;

/// Generates and solves `count` GEMMs with log-uniform sizes from 1 to 8192 and capacities from 1 Ki to 1 Mi
/// elements.
[[nodiscard]] std::vector<TileTrainingRow> generateTileTraining(std::size_t count, std::uint64_t seed);
/// The compiled-in training set, equal to generateTileTraining(kTrainingRows, kTrainingSeed).
[[nodiscard]] std::span<const TileTrainingRow> builtInTileTraining() noexcept;
/// Text of the file core/systolic/tile_training_data.inc for these rows.
[[nodiscard]] std::string tileTrainingText(std::span<const TileTrainingRow> rows);

/// Predicts a tile by kernel regression (Specht's general regression neural network) from log2(M, N, K, cap)
/// to log2 Ti and log2 Tj. The prediction is rounded to neighbouring candidates and repaired if it does not
/// fit.
[[nodiscard]] Result<TileChoice> learnedTile(const TileQuery& query,
                                             std::span<const TileTrainingRow> training);

/// Quality of the learned selector on GEMMs outside of its training set.
struct LearnedQuality
{
    std::size_t cases = 0;
    /// Number of cases in which the traffic is at most 1.1 times the optimum.
    std::size_t within10Percent = 0;
    std::size_t optimal = 0;
    double worstRatio = 1;
    double meanRatio = 1;
    [[nodiscard]] double share() const noexcept
    {
        return cases == 0 ? 0 : static_cast<double>(within10Percent) / static_cast<double>(cases);
    }
};

/// Measures the learned selector for both footprints on `array` with held-out GEMMs. `seed` must differ from
/// the training seed.
[[nodiscard]] LearnedQuality measureLearned(std::size_t count, std::uint64_t seed, const ArrayShape& array);

} // namespace tilewright::systolic
