// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/subgraph_plan.h"

#include <span>

namespace tilewright {

/// Returns the granularity closest to `wanted` that R4.1, R4.2, R4.3 and R4.7 allow for these ops and that is
/// not larger than their sinks. If the rules contradict each other (a prologue deeper than the native size),
/// the native size wins. Without a MatMul, k is unchanged.
[[nodiscard]] Granularity legalGranularity(const SubgraphPlan& plan, const Granularity& wanted);

/// Returns the native granularity, adapted by legalGranularity(): the initial granularity of a new subgraph.
[[nodiscard]] Granularity startGranularity(const SubgraphPlan& plan);

/// Returns an upper bound on the working set of a step (R9.1), in elements, from the shapes of a full tile.
/// `resident` are the resident tensors before the subgraph. core/eval computes exact values.
[[nodiscard]] std::int64_t estimateWorkingSet(const SubgraphPlan& plan, const Granularity& g,
                                              std::span<const TensorId> resident,
                                              std::span<const TensorId> retain);

/// Returns the largest of the granularities `wanted`, made legal, whose estimated working set fits into fast
/// memory. If none fits, the last one is halved, each time along the axis that saves most, until it fits or
/// cannot shrink.
[[nodiscard]] Granularity fittingGranularity(const SubgraphPlan& plan, std::span<const TensorId> resident,
                                             std::span<const TensorId> retain,
                                             std::span<const Granularity> wanted);

/// Start schedule: one op per subgraph in topological order, raster order, nothing retained. The granularity
/// is the native one, made legal and halved until its estimated working set fits.
[[nodiscard]] Schedule oneOpPerSubgraph(const Problem& problem);

} // namespace tilewright
