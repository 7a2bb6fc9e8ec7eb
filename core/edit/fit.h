// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/subgraph_plan.h"

#include <span>

namespace tilewright {

/// The granularity closest to `wanted` that R4.1, R4.2, R4.3 and R4.7 allow for these ops and that is not
/// larger than their sinks. Where the rules contradict each other (a prologue deeper than the native size),
/// the native size wins. Without a MatMul k is kept.
[[nodiscard]] Granularity legalGranularity(const SubgraphPlan& plan, const Granularity& wanted);

/// The native granularity, made legal: where a new subgraph starts.
[[nodiscard]] Granularity startGranularity(const SubgraphPlan& plan);

/// An upper estimate of the largest working set of a step (R9.1), in elements, from the shapes of a full
/// tile alone; `resident` = RES before the subgraph. Exact verdicts come from core/eval.
[[nodiscard]] std::int64_t estimateWorkingSet(const SubgraphPlan& plan, const Granularity& g,
                                              std::span<const TensorId> resident,
                                              std::span<const TensorId> retain);

/// The largest of the given granularities, made legal, whose estimate fits into fast memory; when none does,
/// the last one halved along the axis that helps most until it fits or cannot shrink further.
[[nodiscard]] Granularity fittingGranularity(const SubgraphPlan& plan, std::span<const TensorId> resident,
                                             std::span<const TensorId> retain,
                                             std::span<const Granularity> wanted);

/// Each op alone in topological order, raster order, nothing retained; native granularity, made legal and
/// halved until it should fit. Where editing starts.
[[nodiscard]] Schedule oneOpPerSubgraph(const Problem& problem);

} // namespace tilewright
