// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::npu {

enum class Assignment { RoundRobin, CostAware, HeadParallel };
/// "round_robin", "cost_aware", "head_parallel"
[[nodiscard]] std::string_view toString(Assignment assignment) noexcept;
[[nodiscard]] std::optional<Assignment> assignmentFromText(std::string_view text) noexcept;

/// Cost of a node in cycles: max(compute cycles, bytes / bandwidth of one core alone), rounded up
/// (docs/rules/npu.md 4).
[[nodiscard]] Cycle nodeCost(const NpuGraph& graph, const NpuHardware& hardware, std::size_t node) noexcept;

/// Critical path of each node in cycles: cp(n) = cost(n) + max of cp over the successors of n. `computeOnly`:
/// cost(n) is only the compute cycles.
[[nodiscard]] std::vector<Cycle> criticalPaths(const NpuGraph& graph, const NpuHardware& hardware,
                                               bool computeOnly = false);

/// Nodes of one longest path, from a node without dependencies to one without successors.
[[nodiscard]] std::vector<std::uint32_t> longestPath(const NpuGraph& graph, const std::vector<Cycle>& cp);

/// Topological order by Kahn's algorithm; ties are broken by id.
[[nodiscard]] std::vector<std::uint32_t> topologicalOrder(const NpuGraph& graph);

/// The core that runs the nodes of a head under head_parallel.
[[nodiscard]] inline int coreOfHead(std::int32_t head, int cores) noexcept
{
    return head % cores;
}

struct StaticSchedule
{
    Assignment assignment = Assignment::CostAware;
    std::vector<std::vector<std::uint32_t>> order; ///< per core: its nodes in execution order
    std::vector<Cycle> cp;                         ///< per node: critical path
    std::vector<std::uint16_t> coreOf;             ///< per node: core that runs it
    std::vector<Cycle> finish;                     ///< per node: estimated end
    Cycle estimatedMakespan = 0;
};

/// List scheduling: among the units whose dependencies are placed, the one with the longest critical path is
/// next; ties by id. Cores that run their lists in this order cannot deadlock.
[[nodiscard]] StaticSchedule makeStaticSchedule(const NpuGraph& graph, const NpuHardware& hardware,
                                                Assignment assignment);

} // namespace tilewright::npu
