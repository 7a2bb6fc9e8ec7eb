// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast_evaluator.h"

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
    /// Traversals to try; of equally good ones the first is chosen.
    std::vector<Traversal> traversals{TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                      TraversalKind::ColumnSnake};
    /// Given values of w, h or k, which are not searched.
    std::optional<std::int64_t> w, h, k;
    /// Number of sizes on each axis that are tried in combination. The best combination is then refined axis
    /// by axis over `axisSizes` sizes.
    std::size_t jointSizes = 14;
    std::size_t axisSizes = 1000;
    /// Limit on simulated steps, as for evaluate() in eval/fast_evaluator.h.
    std::int64_t mostWalkedSteps = kMostWalkedSteps;
    std::stop_token stop;
};

/// Order of tilings: lower latency first; with equal latency fewer steps, then the smaller working set.
struct TilingRank
{
    double latency = 0;
    std::int64_t steps = 0;
    double peak = 0;
};
[[nodiscard]] bool isBetter(const TilingRank& a, const TilingRank& b) noexcept;

/// Sizes of w, h and k worth trying for a plan, ascending; each is legal under the plan's rules.
[[nodiscard]] std::vector<std::int64_t> usefulWidths(const SubgraphPlan& plan);
[[nodiscard]] std::vector<std::int64_t> usefulHeights(const SubgraphPlan& plan);
[[nodiscard]] std::vector<std::int64_t> usefulDepths(const SubgraphPlan& plan);

/// Returns the fastest of the tried tilings that fits; nothing if none fits or none is legal. Takes some
/// milliseconds. The result is a good local optimum, not a proven one. `resident` and `retain` as for
/// evaluate().
[[nodiscard]] std::optional<GranularityChoice> bestGranularity(const SubgraphPlan& plan,
                                                               std::span<const TensorId> resident,
                                                               std::span<const TensorId> retain,
                                                               const GranularityLimits& limits = {});

} // namespace tilewright
