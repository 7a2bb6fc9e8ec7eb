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

/// max(compute cycles, bytes / bandwidth a core gets alone), rounded up (docs/rules/npu.md 4).
[[nodiscard]] Cycle nodeCost(const NpuGraph& graph, const NpuHardware& hardware, std::size_t node) noexcept;

/// cp(n) = cost(n) + max over successors of cp; of compute cycles only when `computeOnly`.
[[nodiscard]] std::vector<Cycle> criticalPaths(const NpuGraph& graph, const NpuHardware& hardware,
                                               bool computeOnly = false);

/// Nodes of one longest path, from a source to a sink.
[[nodiscard]] std::vector<std::uint32_t> longestPath(const NpuGraph& graph, const std::vector<Cycle>& cp);

/// Kahn's order with ties by id.
[[nodiscard]] std::vector<std::uint32_t> topologicalOrder(const NpuGraph& graph);

/// Which core a head's nodes run on under head_parallel.
[[nodiscard]] inline int coreOfHead(std::int32_t head, int cores) noexcept
{
    return head % cores;
}

struct StaticSchedule
{
    Assignment assignment = Assignment::CostAware;
    std::vector<std::vector<std::uint32_t>> order; ///< per core: nodes in the order they run
    std::vector<Cycle> cp;                         ///< per node
    std::vector<std::uint16_t> coreOf;             ///< per node
    std::vector<Cycle> finish;                     ///< per node: estimated
    Cycle estimatedMakespan = 0;
};

/// Units by critical path, highest first among those whose dependencies are placed (so that lists run in
/// order cannot wait for one another in a circle), ties by id.
[[nodiscard]] StaticSchedule makeStaticSchedule(const NpuGraph& graph, const NpuHardware& hardware,
                                                Assignment assignment);

} // namespace tilewright::npu
