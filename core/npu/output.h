// SPDX-License-Identifier: GPL-3.0-or-later
// What is written of a run: statistics by operator, graph, trace.
#pragma once

#include "npu/bounds.h"
#include "npu/graph.h"
#include "npu/run.h"
#include "npu/static_schedule.h"
#include "npu/tile_search.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::npu {

/// Statistics of a run for one operator of the model (docs/rules/npu.md 6.2). Cycles are sums over the cores.
struct OpReport
{
    std::string name;
    OpType type = OpType::MatMul;
    std::size_t nodes = 0;
    Cycle start = 0, end = 0; ///< start of its first node, end of its last store
    Cycle tensor = 0, vector = 0;
    std::array<Cycle, kCoreStates> stalls{}; ///< wait cycles of the cores for its nodes, by CoreState
    std::int64_t loaded = 0, stored = 0;     ///< bytes moved to and from SPM
    std::int64_t shared = 0;                 ///< part of `loaded` that the shared memory supplied
    std::int64_t joined = 0;                 ///< part of `shared` in loads that joined another one
    std::int64_t passed = 0;                 ///< part of `loaded` that other cores sent
    std::vector<std::uint16_t> cores;        ///< ids of the cores that ran its nodes, ascending
    TileSizes tile;                          ///< tile sizes of the operator in the graph
    double macPj = 0, spmPj = 0, nocPj = 0, dramPj = 0;

    [[nodiscard]] std::int64_t dramBytes() const noexcept { return loaded + stored - shared - passed; }
    [[nodiscard]] double energyPj() const noexcept { return macPj + spmPj + nocPj + dramPj; }
    [[nodiscard]] Cycle stallsOf(CoreState state) const noexcept
    {
        return stalls[static_cast<std::size_t>(state)];
    }
};

/// Reports of all operators, in the order of the model.
[[nodiscard]] std::vector<OpReport> opReports(const NpuGraph& graph, const NpuRun& run);

/// The CSV file of `npu --csv`: one line per operator.
[[nodiscard]] std::string opReportsToCsv(const std::vector<OpReport>& reports);
/// Text of tile sizes: "m 384 n 384 k 64".
[[nodiscard]] std::string tileText(OpType type, const TileSizes& tile);

/// The JSON file of `npu --graph` (docs/rules/npu.md 6.1), with the static schedule. Additional fields of a
/// node: "accumulator" (tile, if there is one), "scratch_bytes" and "unit".
[[nodiscard]] Status writeGraph(const NpuGraph& graph, const NpuHardware& hardware,
                                const StaticSchedule& schedule, const std::string& path);
[[nodiscard]] std::string graphToJson(const NpuGraph& graph, const NpuHardware& hardware,
                                      const StaticSchedule& schedule);

/// The file of `npu --trace` (docs/rules/npu.md 6.1) in the Chrome trace-event format. It contains the DRAM
/// bursts if the run recorded them.
[[nodiscard]] Status writeTrace(const NpuGraph& graph, const NpuRun& run, const std::string& path);
[[nodiscard]] std::string traceToJson(const NpuGraph& graph, const NpuRun& run);

/// The document of `npu --json` (docs/design.md 3.2).
[[nodiscard]] std::string summaryToJson(const NpuGraph& graph, const NpuRun& run, const Bounds& bounds,
                                        const std::vector<OpReport>& reports, const TileSearch* search,
                                        bool verified, const std::string& extra = {});

/// The document of `npu --json` for an interrupted run. `simulated` is the share of nodes that had been
/// simulated. The fields makespan, dram_bytes and verified are null.
[[nodiscard]] std::string interruptedToJson(const NpuGraph& graph, const NpuHardware& hardware,
                                            const RunOptions& options, const Bounds& bounds,
                                            Cycle estimatedMakespan, double simulated);

} // namespace tilewright::npu
