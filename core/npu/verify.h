// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <string>
#include <vector>

namespace tilewright::npu {

/// Result of the check of one rule of docs/rules/npu.md 7.
struct RuleCheck
{
    std::string rule; ///< key of the rule: "dag_acyclic", "spm_capacity", ...
    std::string text; ///< text of the rule, or of its first violation
    bool passed = true;
};

/// Checks the tile graph: tile invariants, no cycles, partition of the outputs, covered inputs, nodes fit
/// into SPM.
[[nodiscard]] std::vector<RuleCheck> verifyGraph(const NpuGraph& graph);

/// Checks a run: every node runs once, dependencies are met, SPM stays within its capacity, the DRAM timeline
/// contains all bytes, and the states of a core add up to the makespan. `withReplay`: the instruction replay
/// with the recorded transfer times gives the same run. Reads only the graph and the recorded run.
[[nodiscard]] std::vector<RuleCheck> verifyRun(const NpuGraph& graph, const NpuRun& run,
                                               bool withReplay = true);

[[nodiscard]] bool allPassed(const std::vector<RuleCheck>& checks) noexcept;

} // namespace tilewright::npu
