// SPDX-License-Identifier: GPL-3.0-or-later
// One run of a model on the machine of the NPU lens and all that is derived from it; values without state.
#pragma once

#include "base/result.h"
#include "npu/bounds.h"
#include "npu/compare.h"
#include "npu/run.h"
#include "npu/tile_search.h"

#include <QString>

#include <array>
#include <memory>
#include <vector>

namespace tilewright::ui {

/// A step function with its integral, so that means over any range are exact.
struct RateCurve
{
    struct Point
    {
        double time = 0, rate = 0, integral = 0; ///< rate holds from `time`; integral up to `time`
    };
    std::vector<Point> points;
    double peak = 0;

    [[nodiscard]] double integralAt(double time) const;
    [[nodiscard]] double rateAt(double time) const;
    [[nodiscard]] double mean(double from, double to) const;
};

/// What a run is made of; the model itself is kept beside it.
struct NpuSettings
{
    npu::NpuHardware hardware;
    npu::RunOptions options;
    std::vector<npu::OpTiling> tiling; ///< per operator of the model
    bool operator==(const NpuSettings& other) const;
};

/// One finished run with everything the views draw. Immutable.
struct NpuResult
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    std::shared_ptr<const npu::NpuGraph> graph;
    std::shared_ptr<const npu::NpuRun> run;
    npu::Bounds bounds;
    QString sentence;                          ///< what binds
    std::vector<npu::Cycle> cp;                ///< per node: cycles from its start to the end, at best
    std::vector<std::uint32_t> critical;       ///< nodes of one longest path
    std::vector<bool> isCritical;              ///< per node
    std::vector<npu::Cycle> chosenAt, startAt; ///< per node
    std::vector<std::int64_t> spmPeaks;        ///< per core
    std::int64_t readyPeak = 0;
    std::shared_ptr<const RateCurve> noc;          ///< bytes a cycle of all cores
    std::array<npu::Cycle, npu::kCoreStates> sums; ///< per state, over all cores
};
using NpuResultPtr = std::shared_ptr<const NpuResult>;

/// Both schedulers on 1 to N cores, and what each waited for on the cores of the settings.
struct NpuComparison
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    std::vector<npu::ScalingPoint> points;
    int cores = 0;
    npu::Cycle staticMakespan = 0, dynamicMakespan = 0;
    std::array<npu::Cycle, npu::kCoreStates> staticSums{}, dynamicSums{};
    QString error;
};

/// A search of tiles: what it was asked for and what it has found.
struct NpuTileSearch
{
    NpuSettings settings;
    std::shared_ptr<const npu::NpuModel> model;
    npu::TileSearch found;
    QString error; ///< why there is none
};

/// Why something was refused, as a sentence: the file by its name alone, the field in plain words.
[[nodiscard]] QString refusalText(const Error& error);
/// Bytes a cycle on the NoC: every transfer at its mean rate. A negative core means all of them.
[[nodiscard]] RateCurve nocCurve(const NpuResult& result, int core);
/// Graph, run and everything derived from it; for the background and for tests.
[[nodiscard]] Result<NpuResultPtr> makeNpuResult(std::shared_ptr<const npu::NpuModel> model,
                                                 const NpuSettings& settings, const NpuResultPtr& previous,
                                                 const Progress& progress = {});
/// Both schedulers on 1 to `maxCores` cores, on the graph of a run.
[[nodiscard]] std::shared_ptr<const NpuComparison> compareSchedulers(const NpuResult& result, int maxCores,
                                                                     const Progress& progress);

} // namespace tilewright::ui
