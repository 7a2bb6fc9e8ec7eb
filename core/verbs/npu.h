// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "npu/best_policy.h"
#include "npu/output.h"
#include "npu/run.h"
#include "npu/verify.h"
#include "verbs/run.h"

#include <functional>
#include <vector>

namespace tilewright::verbs {

/// The options of `npu` in their textual form.
struct NpuCall
{
    WorkloadCall workload;
    /// empty: the hardware of the named machine, else that of the workload file, else that of
    /// npu::NpuHardware
    std::optional<npu::NpuHardware> hardware;
    std::string hardwareFile; ///< file from which readFiles() reads the hardware
    /// "best": the fastest of those offered (npu::simulateBest()); searches and scaling use dynamic
    std::string scheduler = "best";
    std::string assignment = "cost_aware";
    std::string tiles = "default";
    npu::TileSizes tile; ///< of all products and convolutions without a tile of their own; 0: by the rule
    int cores = 0;       ///< 0: the number of cores of the hardware
    std::vector<double> weights;
    std::vector<int> scaling;
    bool memoryBoundFirst = false;
    bool recordDram = false;
    std::string schedule;     ///< file of a schedule, which then runs instead of the tile graph
    bool writesGraph = false; ///< true if the caller writes the static schedule to a file

    /// The run of `schedule` (docs/rules/run.md 5), on all cores of the machine unless `cores` says how many.
    [[nodiscard]] RunCall scheduleRun() const;
};
void bindOptions(OptionList& o, NpuCall& call);
[[nodiscard]] Status readFiles(NpuCall& call);

/// Searches the tile sizes for `--tiles searched`. If `withLandscape` is true, slower candidates also run, up
/// to twice the cycles of the best one, so that the user sees how much slower they are. If the search is
/// interrupted, returns the best tiles so far, or an Error if there are none.
[[nodiscard]] Result<npu::TileSearch> searchNpuTiles(const npu::NpuModel& model,
                                                     const npu::NpuHardware& hardware,
                                                     const npu::RunOptions& options, const Progress& progress,
                                                     bool withLandscape = false);
/// Replays the run on the graph and checks every rule.
[[nodiscard]] std::vector<npu::RuleCheck> verifyNpu(const npu::NpuGraph& graph, const npu::NpuRun& run);

/// A run that has been replayed and verified. `run` is empty if the run was interrupted. An interrupted
/// search is followed by a run with the best tiles so far.
struct NpuAnswer
{
    npu::NpuGraph graph;
    npu::NpuHardware hardware;
    std::string machine; ///< the hardware in words: "server", "the default NPU, as none was named"
    npu::RunOptions options;
    npu::Bounds bounds; ///< of the tiles that were chosen
    /// Cycles of the floor (docs/rules/real.md R19), which no choice of tiles goes below; empty without a
    /// machine or if the Schedule lens does not have the workload.
    std::optional<double> floor;
    std::vector<std::string> notes; ///< what the lens leaves out of the workload and of the machine
    std::optional<npu::TileSearch> search;
    std::optional<npu::NpuRun> run;
    bool isBest = false;                    ///< the scheduler was chosen as the fastest
    std::vector<npu::PolicyRun> schedulers; ///< npu::BestRun::compared
    std::vector<npu::OpReport> reports;
    std::vector<npu::RuleCheck> checks; ///< results of the checks of graph and run
    std::vector<npu::ScalingPoint> scaling;
    npu::BothSchedulers scaled; ///< what `scaling` compares
    bool searchInterrupted = false, scalingInterrupted = false;
    double simulated = 0;             ///< share of the nodes that an interrupted run has simulated
    npu::Cycle estimatedMakespan = 0; ///< makespan of the static schedule, for an interrupted run
};
/// Calls `onGraph` before the run.
[[nodiscard]] Result<NpuAnswer>
runNpu(const NpuCall& call, const Progress& searching, const Progress& running,
       const std::function<Status(const npu::NpuGraph&, const npu::NpuHardware&, const npu::RunOptions&)>&
           onGraph = {});
/// The document of `npu --json` (docs/design.md 3.2).
[[nodiscard]] std::string npuJson(const NpuAnswer& answer);

} // namespace tilewright::verbs
