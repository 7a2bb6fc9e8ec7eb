// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/subgraph_plan.h"

#include <optional>

namespace tilewright {

/// What one run of a MatMul computes: rows x cols of its output over `depth` of its reduction; elements.
struct RunTile
{
    std::int64_t rows = 1, cols = 1, depth = 1;
    bool operator==(const RunTile&) const = default;
};

/// The largest run (R6) of an op of the subgraph, where no edge clips it. Nothing when the op does not run in
/// it.
[[nodiscard]] std::optional<RunTile> largestRun(const SubgraphPlan& plan, const Granularity& granularity,
                                                OpId op) noexcept;

} // namespace tilewright
