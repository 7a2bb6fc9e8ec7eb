// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/bounds.h"
#include "npu/graph.h"
#include "npu/op_report.h"
#include "npu/run.h"
#include "npu/static_schedule.h"
#include "npu/tile_search.h"

#include <string>

namespace tilewright::npu {

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
