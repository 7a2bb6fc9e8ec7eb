// SPDX-License-Identifier: GPL-3.0-or-later
// The fastest of the schedulers that are offered (docs/rules/npu.md 4.1).
#pragma once

#include "npu/run.h"

#include <string>
#include <vector>

namespace tilewright::npu {

/// Largest number of nodes of a graph on which all schedulers run.
inline constexpr std::size_t kMostComparedNodes = 20'000;

/// A scheduler with its assignment, and the makespan of its run in cycles.
struct PolicyRun
{
    Scheduler scheduler = Scheduler::Dynamic;
    Assignment assignment = Assignment::CostAware;
    Cycle makespan = 0;
};
/// "static cost_aware"; "dynamic", as assignments other than head_parallel have no effect there.
[[nodiscard]] std::string policyText(Scheduler scheduler, Assignment assignment);

/// The schedulers offered for a graph, `options` as given first: dynamic, and static with every assignment.
/// head_parallel only if the graph has heads; if `options` ask for it, only with it.
[[nodiscard]] std::vector<RunOptions> offeredPolicies(const NpuGraph& graph, const RunOptions& options);

/// The fastest run, and what each scheduler gave.
struct BestRun
{
    NpuRun run;
    /// Results in the order of offeredPolicies(). Empty if the graph has more than kMostComparedNodes nodes;
    /// such a graph runs with the policy of the options.
    std::vector<PolicyRun> compared;
};
/// Runs a graph under every offered scheduler and keeps the fastest run, the first one of several. All other
/// options stay. The Error is that of simulate().
[[nodiscard]] Result<BestRun> simulateBest(const NpuGraph& graph, const NpuHardware& hardware,
                                           const RunOptions& options, const Progress& progress = {});

/// The fastest static and the fastest dynamic run in `compared`, to be compared on other numbers of cores. A
/// scheduler that is not in it keeps the assignment of `options`.
[[nodiscard]] BothSchedulers bestOfBoth(const RunOptions& options, const std::vector<PolicyRun>& compared);

/// The choice in words, with every makespan: "static cost_aware, the fastest of 3: static cost_aware 547 840,
/// dynamic 548 520, ..."; for a larger graph that it is not compared. `compared`: as of BestRun.
[[nodiscard]] std::string policySentence(const RunOptions& ran, std::vector<PolicyRun> compared);

} // namespace tilewright::npu
