// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <string>

namespace tilewright::npu {

/// Lower bounds of any run on the hardware, in cycles (docs/rules/npu.md 4).
struct Bounds
{
    Cycle criticalPath = 0; ///< longest path of the graph, with compute cycles as costs
    Cycle tensor = 0;       ///< tensor-engine work / cores
    Cycle vector = 0;       ///< vector-engine work / cores
    Cycle dram = 0;         ///< compulsory bytes / DRAM bandwidth
    std::int64_t compulsoryBytes = 0;
    /// Bytes of results that later nodes read (written through to DRAM, docs/rules/npu.md 5.2).
    std::int64_t intermediateBytes = 0;
    Cycle lowerBound = 0; ///< the largest of the bounds above

    /// Name of the largest bound: "critical_path", "tensor", "vector" or "dram". The first one on a tie.
    [[nodiscard]] std::string_view binding() const noexcept;
};
[[nodiscard]] Bounds lowerBounds(const NpuGraph& graph, const NpuHardware& hardware);

/// What limits a run: a resource that is busy at least half of the time, else the most frequent reason for
/// waiting.
struct Limit
{
    enum class What { Dram, Tensor, Vector, Wait };
    What what = What::Wait;
    CoreState wait = CoreState::Idle; ///< state of the waiting cores if the limit is What::Wait
    /// Share of the makespan in which the buses or engines work; for What::Wait, share of the cycles of all
    /// cores.
    double share = 0;
};
/// Returns the limit of the run. `bounds` are those of its graph.
[[nodiscard]] Limit limitOf(const NpuRun& run, const Bounds& bounds);

/// One sentence that names the limiting resource of the run, with figures ("DRAM binds: ...").
[[nodiscard]] std::string explainRun(const NpuGraph& graph, const NpuRun& run, const Bounds& bounds);

} // namespace tilewright::npu
