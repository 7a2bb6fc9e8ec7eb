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

/// The options of `npu`, as text.
struct NpuCall
{
    WorkloadCall workload;
    /// Hardware of the run. If empty, it is that of the named machine, else of the workload file, else the
    /// default of npu::NpuHardware.
    std::optional<npu::NpuHardware> hardware;
    std::string hardwareFile; ///< file from which readFiles() reads the hardware
    /// Scheduler of the run; "best": the fastest policy that is offered (npu::simulateBest()). Tile searches
    /// and scaling then use the dynamic scheduler.
    std::string scheduler = "best";
    std::string assignment = "cost_aware";
    std::string tiles = "default";
    /// Tile sizes of products and convolutions without a tile of their own; 0: by the default rule.
    npu::TileSizes tile;
    int cores = 0; ///< 0: the number of cores of the hardware
    std::vector<double> weights;
    std::vector<int> scaling;
    bool memoryBoundFirst = false;
    bool recordDram = false;
    std::string schedule;     ///< file of a schedule that is run instead of the tile graph
    bool writesGraph = false; ///< true if the caller writes the static schedule to a file

    /// The call that runs `schedule` (docs/rules/run.md 5). It uses all cores of the machine unless `cores`
    /// is set.
    [[nodiscard]] RunCall scheduleRun() const;
};
void bindOptions(OptionList& o, NpuCall& call);
[[nodiscard]] Status readFiles(NpuCall& call);

/// Searches the tile sizes for `--tiles searched`. With `withLandscape`, slower candidates are also run, up
/// to twice the cycles of the best one, so that the user sees how much slower they are. If the search is
/// interrupted, returns the best tiles so far, or an Error if there are none.
[[nodiscard]] Result<npu::TileSearch> searchNpuTiles(const npu::NpuModel& model,
                                                     const npu::NpuHardware& hardware,
                                                     const npu::RunOptions& options, const Progress& progress,
                                                     bool withLandscape = false);
/// Replays the run on the graph and checks every rule of docs/rules/npu.md 7.
[[nodiscard]] std::vector<npu::RuleCheck> verifyNpu(const npu::NpuGraph& graph, const npu::NpuRun& run);

/// A run that has been replayed and verified. `run` is empty if the run was interrupted. An interrupted
/// search is followed by a run with the best tiles so far.
struct NpuAnswer
{
    npu::NpuGraph graph;
    npu::NpuHardware hardware;
    std::string machine; ///< text of the hardware: "server", "the default NPU, as none was named"
    npu::RunOptions options;
    npu::Bounds bounds; ///< bounds for the chosen tiles
    /// The floor in cycles (docs/rules/real.md R19), a lower bound for every choice of tiles. Empty without a
    /// machine, or if the workload is not one of the Schedule lens.
    std::optional<double> floor;
    std::vector<std::string> notes; ///< what the lens leaves out of the workload and of the machine
    std::optional<npu::TileSearch> search;
    std::optional<npu::NpuRun> run;
    bool isBest = false;                    ///< true if the scheduler was chosen as the fastest one
    std::vector<npu::PolicyRun> schedulers; ///< npu::BestRun::compared
    std::vector<npu::OpReport> reports;
    std::vector<npu::RuleCheck> checks; ///< results of the checks of graph and run
    std::vector<npu::ScalingPoint> scaling;
    npu::BothSchedulers scaled; ///< what `scaling` compares
    bool searchInterrupted = false, scalingInterrupted = false;
    double simulated = 0;             ///< share of the nodes that were simulated before an interrupt
    npu::Cycle estimatedMakespan = 0; ///< for an interrupted run: makespan of the static schedule in cycles
};
/// Runs the call. Calls `onGraph` with the graph before the run.
[[nodiscard]] Result<NpuAnswer>
runNpu(const NpuCall& call, const Progress& searching, const Progress& running,
       const std::function<Status(const npu::NpuGraph&, const npu::NpuHardware&, const npu::RunOptions&)>&
           onGraph = {});
/// The document of `npu --json` (docs/design.md 3.2).
[[nodiscard]] std::string npuJson(const NpuAnswer& answer);

} // namespace tilewright::verbs
