// SPDX-License-Identifier: GPL-3.0-or-later
// The fastest of the schedulers that are offered (docs/rules/npu.md 4.1).
#pragma once

#include "npu/run.h"

#include <string>
#include <vector>

namespace tilewright::npu {

/// Graphs with more nodes are not run on all schedulers.
inline constexpr std::size_t kMostComparedNodes = 20'000;

/// A scheduler with its assignment, and the makespan of its run in cycles.
struct PolicyRun
{
    Scheduler scheduler = Scheduler::Dynamic;
    Assignment assignment = Assignment::CostAware;
    Cycle makespan = 0;
};
/// Name of a policy: "static cost_aware"; only "dynamic" for the dynamic scheduler, where assignments other
/// than head_parallel have no effect.
[[nodiscard]] std::string policyText(Scheduler scheduler, Assignment assignment);

/// The policies that are compared for a graph: first that of `options`, then dynamic, and static with every
/// assignment. head_parallel is offered only if the graph has heads. If `options` ask for head_parallel, only
/// policies with it are offered.
[[nodiscard]] std::vector<RunOptions> offeredPolicies(const NpuGraph& graph, const RunOptions& options);

/// The fastest run, and the makespan of every compared policy.
struct BestRun
{
    NpuRun run;
    /// Results in the order of offeredPolicies(). Empty if the graph has more than kMostComparedNodes nodes;
    /// such a graph runs with the policy of the options.
    std::vector<PolicyRun> compared;
};
/// Runs a graph under every offered policy and returns the fastest run; on a tie, that of the first policy.
/// All other options stay as given. Returns the Error of simulate() if a run fails.
[[nodiscard]] Result<BestRun> simulateBest(const NpuGraph& graph, const NpuHardware& hardware,
                                           const RunOptions& options, const Progress& progress = {});

/// The fastest static and the fastest dynamic run in `compared`, to be compared on other numbers of cores. A
/// scheduler that is not in it keeps the assignment of `options`.
[[nodiscard]] BothSchedulers bestOfBoth(const RunOptions& options, const std::vector<PolicyRun>& compared);

/// Sentence that names the chosen policy and every makespan: "static cost_aware, the fastest of 3: static
/// cost_aware 547 840, dynamic 548 520, ...". For a larger graph it says that policies were not compared.
/// `compared`: BestRun::compared.
[[nodiscard]] std::string policySentence(const RunOptions& ran, std::vector<PolicyRun> compared);

} // namespace tilewright::npu
