// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast.h"

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tilewright {

struct GranularityChoice
{
    Granularity granularity;
    Traversal traversal;
    SubgraphEvaluation evaluation;
};

struct GranularityLimits
{
    /// Traversals to try; the first one wins ties.
    std::vector<Traversal> traversals{TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                      TraversalKind::ColumnSnake};
    /// Fixed values of w, h or k.
    std::optional<std::int64_t> w, h, k;
    /// Sizes tried jointly on each axis; the best point is then refined axis by axis over `axisSizes` of the
    /// useful ones.
    std::size_t jointSizes = 14;
    std::size_t axisSizes = 1000;
    /// As for evaluate() in eval/fast.h.
    std::int64_t mostWalkedSteps = kMostWalkedSteps;
    std::stop_token stop;
};

/// What makes one tiling preferable to another: it is faster; of equally fast ones that with fewer steps,
/// then that with the smaller working set.
struct TilingRank
{
    double latency = 0;
    std::int64_t steps = 0;
    std::int64_t peak = 0;
};
[[nodiscard]] bool isBetter(const TilingRank& a, const TilingRank& b) noexcept;

/// Sizes of w, h and k worth trying for a plan (each legal under its rules), ascending.
[[nodiscard]] std::vector<std::int64_t> usefulWidths(const SubgraphPlan& plan);
[[nodiscard]] std::vector<std::int64_t> usefulHeights(const SubgraphPlan& plan);
[[nodiscard]] std::vector<std::int64_t> usefulDepths(const SubgraphPlan& plan);

/// The fastest granularity and traversal that fit, of those tried; nothing when none fits or none is legal.
/// Some milliseconds. The result is a good local optimum, not a proven one. `resident` and `retain` as for
/// evaluate().
[[nodiscard]] std::optional<GranularityChoice> bestGranularity(const SubgraphPlan& plan,
                                                               std::span<const TensorId> resident,
                                                               std::span<const TensorId> retain,
                                                               const GranularityLimits& limits = {});

} // namespace tilewright
