// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "schedule/grid.h"

namespace tilewright {

/// R2.2 (FORMAT, GRANULARITY, RETAIN), in its order; at most one Issue per code.
[[nodiscard]] std::vector<Issue> checkFormat(const Problem& problem, const Subgraph& subgraph, SubgraphId id);

/// R4.1 to R4.7 and R5.3 in their order, at most one Issue per code; the subgraph passes checkFormat().
[[nodiscard]] std::vector<Issue> checkStructure(const Problem& problem, const Subgraph& subgraph,
                                                SubgraphId id, const Rules& rules);

} // namespace tilewright
