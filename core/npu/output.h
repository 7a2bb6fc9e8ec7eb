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

/// The file of `npu --graph` (docs/rules/npu.md 6.1), with the static schedule. Beyond the fields named there
/// a node has "accumulator" (tile, when it has one), "scratch_bytes" and "unit".
[[nodiscard]] Status writeGraph(const NpuGraph& graph, const NpuHardware& hardware,
                                const StaticSchedule& schedule, const std::string& path);
[[nodiscard]] std::string graphToJson(const NpuGraph& graph, const NpuHardware& hardware,
                                      const StaticSchedule& schedule);

/// The file of `npu --trace` (docs/rules/npu.md 6.1), Chrome trace-event JSON; with the DRAM's bursts when
/// the run has recorded them.
[[nodiscard]] Status writeTrace(const NpuGraph& graph, const NpuRun& run, const std::string& path);
[[nodiscard]] std::string traceToJson(const NpuGraph& graph, const NpuRun& run);

/// The document of `npu --json` (docs/design.md 3.2).
[[nodiscard]] std::string summaryToJson(const NpuGraph& graph, const NpuRun& run, const Bounds& bounds,
                                        const std::vector<OpReport>& reports, const TileSearch* search,
                                        bool verified, const std::string& extra = {});

/// The same document of a run that was interrupted when this share of the nodes had been simulated: makespan,
/// dram_bytes and verified are null.
[[nodiscard]] std::string interruptedToJson(const NpuGraph& graph, const NpuHardware& hardware,
                                            const RunOptions& options, const Bounds& bounds,
                                            Cycle estimatedMakespan, double simulated);

} // namespace tilewright::npu
