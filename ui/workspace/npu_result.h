// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a simulation of the NPU lens, and values derived from them.
#pragma once

#include "base/result.h"
#include "npu/best_policy.h"
#include "npu/bounds.h"
#include "npu/fit_tiles.h"
#include "npu/run.h"
#include "npu/tile_search.h"

#include <QString>

#include <array>
#include <memory>
#include <vector>

namespace tilewright::ui {

/// A step function with its integral, which gives the exact mean over any range.
struct RateCurve
{
    struct Point
    {
        double time = 0, rate = 0, integral = 0; ///< `rate` from `time` on; `integral` from 0 to `time`
    };
    std::vector<Point> points;
    double peak = 0;

    [[nodiscard]] double integralAt(double time) const;
    [[nodiscard]] double rateAt(double time) const;
    [[nodiscard]] double mean(double from, double to) const;
};

/// Settings of a simulation, without the model.
struct NpuSettings
{
    npu::NpuHardware hardware;
    npu::RunOptions options;
    /// true: the fastest scheduler is used instead of that of `options` (npu::simulateBest())
    bool best = true;
    std::vector<npu::OpTiling> tiling; ///< tiles of each operator of the model
    bool operator==(const NpuSettings& other) const;
};

/// A finished simulation with all data that the views draw. Immutable.
struct NpuResult
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    std::shared_ptr<const npu::NpuGraph> graph;
    std::shared_ptr<const npu::NpuRun> run;
    std::vector<npu::PolicyRun> schedulers; ///< the schedulers that were compared (npu::BestRun::compared)
    npu::Bounds bounds;
    QString cutAnew;  ///< text on tiles of the file that the SPM cannot hold (npu::fitTiles()); may be empty
    QString sentence; ///< sentence on which bound limits the makespan
    /// for each node, length in cycles of the longest path from its start to the end
    std::vector<npu::Cycle> cp;
    std::vector<std::uint32_t> critical; ///< nodes on a longest path
    std::vector<bool> isCritical;        ///< for each node, true if it is on that path
    std::vector<npu::Cycle> chosenAt,
        startAt; ///< for each node, the cycle in which it was chosen and the cycle in which it starts
    std::vector<std::int64_t> spmPeaks; ///< for each core, peak use of the SPM in bytes
    std::int64_t readyPeak = 0;
    std::shared_ptr<const RateCurve> noc; ///< traffic of all cores in bytes per cycle
    /// the part of `noc` that comes from the shared memory; null if there is none
    std::shared_ptr<const RateCurve> shared;
    std::array<npu::Cycle, npu::kCoreStates> sums; ///< cycles in each core state, summed over all cores
};
using NpuResultPtr = std::shared_ptr<const NpuResult>;

/// Returns the model with the tiles of the settings. Tiles of the file that the SPM cannot hold are cut anew.
/// Tiles set by hand are kept, so that an error names them if they do not fit.
[[nodiscard]] npu::FittedModel fittedModel(const npu::NpuModel& model, const NpuSettings& settings);

/// Makespans of both schedulers on 1 to N cores, and their waits on the number of cores in the settings.
struct NpuComparison
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    npu::BothSchedulers schedulers;
    std::vector<npu::ScalingPoint> points;
    int cores = 0;
    npu::Cycle staticMakespan = 0, dynamicMakespan = 0;
    std::array<npu::Cycle, npu::kCoreStates> staticSums{}, dynamicSums{};
    QString error;
};

/// A tile search: its input and its result.
struct NpuTileSearch
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    npu::TileSearch found;
    QString error;        ///< reason why the search failed; empty if it did not
    bool stopped = false; ///< true if the user has stopped the search, so that no candidate was applied
};

/// Error as a sentence for the window: the file name has no folder, and plain words replace the path of the
/// field.
[[nodiscard]] QString refusalText(const Error& error);
/// Traffic on the NoC in bytes per cycle, with each transfer at its mean rate. `core` < 0: all cores.
[[nodiscard]] RateCurve nocCurve(const NpuResult& result, int core);
/// Traffic from the memory shared by all cores (instead of DRAM) in bytes per cycle, with each transfer at
/// its mean rate.
[[nodiscard]] RateCurve sharedCurve(const NpuResult& result);
/// Builds the tile graph, simulates it and derives all results. To be called in the background or in tests.
[[nodiscard]] Result<NpuResultPtr> makeNpuResult(std::shared_ptr<const npu::NpuModel> model,
                                                 const NpuSettings& settings, const NpuResultPtr& previous,
                                                 const Progress& progress = {});
/// Runs both schedulers on 1 to `maxCores` cores with the tile graph of `result`.
[[nodiscard]] std::shared_ptr<const NpuComparison> compareSchedulers(const NpuResult& result, int maxCores,
                                                                     const Progress& progress);

} // namespace tilewright::ui
