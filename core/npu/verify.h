// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <string>
#include <vector>

namespace tilewright::npu {

/// One rule of docs/rules/npu.md 7 and whether it holds.
struct RuleCheck
{
    std::string rule; ///< "dag_acyclic", "spm_capacity", ...
    std::string text; ///< what was checked, or the first violation
    bool passed = true;
};

/// Rules about the tile graph: tile invariants, acyclic, reachable, partition, inputs covered, node fits SPM.
[[nodiscard]] std::vector<RuleCheck> verifyGraph(const NpuGraph& graph);

/// Rules about one run: executed once, dependencies met, SPM never above capacity, bytes on the DRAM
/// timeline, attribution sums, and (unless `withReplay` is false) the instruction replay on the memory's
/// answers of the run. Reads only the graph and the recorded run.
[[nodiscard]] std::vector<RuleCheck> verifyRun(const NpuGraph& graph, const NpuRun& run,
                                               bool withReplay = true);

[[nodiscard]] bool allPassed(const std::vector<RuleCheck>& checks) noexcept;

} // namespace tilewright::npu
