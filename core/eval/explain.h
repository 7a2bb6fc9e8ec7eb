// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of a latency: the resource that limits a subgraph, its place in the roofline, its use of the
// arrays.
#pragma once

#include "base/ids.h"
#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// Explanation of the latency of a subgraph.
struct Explanation
{
    SubgraphId subgraph;
    Bound bound = Bound::Balanced;
    double computeTime = 0;
    double memoryTime = 0;
    /// Compute time divided by the time without padding; 1.25 = a fifth of the compute time is padding or
    /// repetition.
    double paddingFactor = 1;
    /// Loaded elements divided by distinct elements of the non-resident inputs; 1 = nothing is loaded twice.
    double reloadFactor = 1;
    std::string text; ///< the explanation in one or two sentences
};

/// Explains a subgraph by the resource that limits it. Requires `evaluation` = evaluate(problem, schedule,
/// rules). Takes microseconds.
[[nodiscard]] Explanation whatBinds(const Problem& problem, const Schedule& schedule,
                                    const Evaluation& evaluation, SubgraphId subgraph);

/// Position of a subgraph in the roofline chart. Work is measured as the time at full efficiency: each op
/// once, without padding (base_cost x H / native_h x W / native_w). The compute roof is therefore 1.
struct SubgraphPoint
{
    SubgraphId subgraph;
    double work = 0;
    double latency = 0;
    double compute = 0;        ///< compute time with padding and repeated work
    double traffic = 0;        ///< elements loaded and stored
    double intensity = 0;      ///< work / traffic; infinite without traffic
    double throughput = 0;     ///< work / latency; at most min(1, bandwidth x intensity)
    double paddingCeiling = 1; ///< work / compute: the throughput with infinitely fast memory
    Bound bound = Bound::Balanced;
};

struct ScheduleRoofline
{
    /// Structurally valid subgraphs with a latency above 0, in schedule order.
    std::vector<SubgraphPoint> points;
    SubgraphPoint whole; ///< point of the whole schedule; its `subgraph` has no meaning
    double computeRoof = 1;
    double bandwidth = 1; ///< slope of the memory roof: throughput = bandwidth x intensity
    double ridge = 1;     ///< intensity at which the two roofs meet
};

[[nodiscard]] ScheduleRoofline scheduleRoofline(const Problem& problem, const Schedule& schedule,
                                                const Evaluation& evaluation);

/// Returns the time of an op at full efficiency, without padding. SubgraphPoint::work is a sum of such times.
[[nodiscard]] double opWork(const Problem& problem, OpId op, const Rules& rules);

/// How well a MatMul of a subgraph uses the arrays of a core: output-stationary ones of native_h x native_w
/// PEs (R8.2), or those of the machine (R8.4). Computed under all rules, even those that charge a MatMul
/// differently.
struct ArrayUse
{
    OpId op;
    RunTile run;          ///< the largest run, i.e. one that no tensor edge clips
    double runCycles = 0; ///< cycles of `run`
    /// Cycles of all runs that are charged (R8.1). With compute=array the cost of these cycles is base_cost
    /// times cycles / (cycles of a native tile over the whole reduction).
    double cycles = 0;
    double utilisation = 0; ///< multiplications of the op / (number of PEs x cycles)
    bool exact = true;      ///< false if `cycles` is an estimate; see SubgraphEvaluation::exact
};

struct ArrayUses
{
    std::int64_t rows = 1, cols = 1; ///< rows and columns of PEs of one array
    std::int64_t arrays = 1;         ///< number of arrays of a core
    [[nodiscard]] std::int64_t pes() const noexcept { return rows * cols * arrays; }
    /// one entry for each MatMul, in the order in which the subgraph declares its ops
    std::vector<ArrayUse> uses;
    std::size_t more = 0; ///< number of MatMuls beyond the `most` requested ones, which are left out
};

/// Returns the array use of the first MatMuls of a subgraph; empty if the subgraph breaks R2.2, R4.1 to R4.5
/// or R4.7. Takes microseconds, unless steps have to be simulated one by one (kMostWalkedSteps).
[[nodiscard]] ArrayUses arrayUses(const Problem& problem, const Subgraph& subgraph, const Rules& rules,
                                  std::size_t most, std::int64_t mostWalkedSteps = 20'000);

} // namespace tilewright
