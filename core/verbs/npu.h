// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "npu/compare.h"
#include "npu/output.h"
#include "npu/verify.h"
#include "verbs/workload.h"

#include <functional>
#include <vector>

namespace tilewright::verbs {

/// What `npu` is asked. The words are those of the options.
struct NpuCall
{
    WorkloadCall workload;
    std::optional<npu::NpuHardware> hardware; ///< without: the machine that was named, else the file's
    std::string hardwareFile;                 ///< which readFiles() reads the hardware from
    std::string scheduler = "dynamic";
    std::string assignment = "cost_aware";
    std::string tiles = "default";
    int cores = 0; ///< 0: the hardware's
    std::vector<double> weights;
    std::vector<int> scaling;
    bool memoryBoundFirst = false;
    bool recordDram = false;
    bool writesGraph = false; ///< the caller writes the static schedule
};
void bindOptions(OptionList& o, NpuCall& call);
[[nodiscard]] Status readFiles(NpuCall& call);

/// The tiles that `--tiles searched` takes. With the landscape candidates are also run until they take twice
/// the best, so that a person sees how much worse they are.
[[nodiscard]] Result<npu::TileSearch> searchNpuTiles(const npu::NpuModel& model,
                                                     const npu::NpuHardware& hardware,
                                                     const npu::RunOptions& options, const Progress& progress,
                                                     bool withLandscape = false);
/// Replays graph and run against every rule.
[[nodiscard]] std::vector<npu::RuleCheck> verifyNpu(const npu::NpuGraph& graph, const npu::NpuRun& run);

/// A run, replayed and verified; `run` is missing when it was interrupted.
struct NpuAnswer
{
    npu::NpuGraph graph;
    npu::NpuHardware hardware;
    npu::RunOptions options;
    npu::Bounds bounds;
    std::optional<npu::TileSearch> search;
    std::optional<npu::NpuRun> run;
    std::vector<npu::OpReport> reports;
    std::vector<npu::RuleCheck> checks; ///< of the graph and of the run
    std::vector<npu::ScalingPoint> scaling;
    bool scalingInterrupted = false;
    double simulated = 0;             ///< share of the nodes, of an interrupted run
    npu::Cycle estimatedMakespan = 0; ///< of the static schedule, for an interrupted run
};
/// `onGraph`, before the run. Interrupted while tiles are searched: an Error.
[[nodiscard]] Result<NpuAnswer>
runNpu(const NpuCall& call, const Progress& searching, const Progress& running,
       const std::function<Status(const npu::NpuGraph&, const npu::NpuHardware&, const npu::RunOptions&)>&
           onGraph = {});
/// The document of `npu --json` (docs/design.md 3.2).
[[nodiscard]] std::string npuJson(const NpuAnswer& answer);

} // namespace tilewright::verbs
