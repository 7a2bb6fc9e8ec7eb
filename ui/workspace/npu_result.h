// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a simulation of the NPU lens and values derived from them.
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

/// A step function with its integral, which gives exact means over any range.
struct RateCurve
{
    struct Point
    {
        double time = 0, rate = 0, integral = 0; ///< `rate` from `time` on; `integral` up to `time`
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
    bool best = true; ///< the fastest scheduler runs, not that of `options` (npu::simulateBest())
    std::vector<npu::OpTiling> tiling; ///< tiles of every operator of the model
    bool operator==(const NpuSettings& other) const;
};

/// A finished simulation with everything that the views draw. Immutable.
struct NpuResult
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    std::shared_ptr<const npu::NpuGraph> graph;
    std::shared_ptr<const npu::NpuRun> run;
    std::vector<npu::PolicyRun> schedulers; ///< npu::BestRun::compared
    npu::Bounds bounds;
    QString cutAnew;  ///< which tiles of the file the SPM does not hold (npu::fitTiles()); may be empty
    QString sentence; ///< explains which bound limits the makespan
    std::vector<npu::Cycle> cp;          ///< per node: length of the longest path from its start to the end
    std::vector<std::uint32_t> critical; ///< nodes of one longest path
    std::vector<bool> isCritical;        ///< per node
    std::vector<npu::Cycle> chosenAt,
        startAt;                        ///< per node: cycle in which it was chosen, and in which it starts
    std::vector<std::int64_t> spmPeaks; ///< per core: peak use of the SPM in bytes
    std::int64_t readyPeak = 0;
    std::shared_ptr<const RateCurve> noc;          ///< traffic of all cores in bytes per cycle
    std::shared_ptr<const RateCurve> shared;       ///< of it from the shared memory; null without one
    std::array<npu::Cycle, npu::kCoreStates> sums; ///< cycles in each state, summed over all cores
};
using NpuResultPtr = std::shared_ptr<const NpuResult>;

/// The model with the tiles of the settings. Tiles of the file that the SPM does not hold are cut anew, those
/// set by hand are kept, so that they are refused by name.
[[nodiscard]] npu::FittedModel fittedModel(const npu::NpuModel& model, const NpuSettings& settings);

/// Makespans of both schedulers on 1 to N cores, and their waits on the core count of the settings.
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
    QString error;        ///< reason if the search failed
    bool stopped = false; ///< by the user: no candidate was taken
};

/// Error as a sentence for the window: file name without its folder, plain words instead of the field's path.
[[nodiscard]] QString refusalText(const Error& error);
/// Traffic on the NoC in bytes per cycle, with every transfer at its mean rate. core < 0: all cores.
[[nodiscard]] RateCurve nocCurve(const NpuResult& result, int core);
/// Bytes per cycle that the memory shared by all cores supplies instead of DRAM, likewise.
[[nodiscard]] RateCurve sharedCurve(const NpuResult& result);
/// Builds the tile graph, simulates it and derives all results. For the background and for tests.
[[nodiscard]] Result<NpuResultPtr> makeNpuResult(std::shared_ptr<const npu::NpuModel> model,
                                                 const NpuSettings& settings, const NpuResultPtr& previous,
                                                 const Progress& progress = {});
/// Runs both schedulers on 1 to `maxCores` cores with the tile graph of `result`.
[[nodiscard]] std::shared_ptr<const NpuComparison> compareSchedulers(const NpuResult& result, int maxCores,
                                                                     const Progress& progress);

} // namespace tilewright::ui
