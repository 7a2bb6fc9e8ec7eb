// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/subgraph_plan.h"

#include <optional>

namespace tilewright {

/// Work of one run of a MatMul: rows x cols elements of its output over `depth` elements of its reduction.
struct RunTile
{
    std::int64_t rows = 1, cols = 1, depth = 1;
    bool operator==(const RunTile&) const = default;
};

/// Returns the largest run (R6) of an op of the subgraph, at a tile that no edge clips. Empty if the op has
/// no run in this subgraph.
[[nodiscard]] std::optional<RunTile> largestRun(const SubgraphPlan& plan, const Granularity& granularity,
                                                OpId op) noexcept;

} // namespace tilewright
