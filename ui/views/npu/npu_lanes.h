// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/npu/npu_columns.h"

namespace tilewright::ui {

/// The contents of the NPU chart, without visible range and mouse.
struct NpuChartModel
{
    QString hint; ///< shown instead of the chart
    QString error;
    bool refused = false; ///< true if the present settings cannot run: the result belongs to earlier settings
    bool busy = false;
    bool stale = false;         ///< true if the result is drawn pale, as another one is being simulated
    QString progress;           ///< progress of the simulation: "52.0 %, about 3 s left"
    QString awaited;            ///< name of the model that is simulated, if the result is of another one
    NpuResultPtr result, ghost; ///< ghost: the baseline run, may be null
    std::shared_ptr<const RateCurve> noc, ghostNoc;
    std::shared_ptr<const RateCurve> shared; ///< null without a shared memory
    double total = 0;                        ///< end of the time axis: the longer of both runs
    QString header;  ///< "548 520 cycles, 2.4 times the lower bound; DRAM binds 79.5 % of the time"
    QString subject; ///< "BERT base block · dynamic · 4 cores"
    QString details; ///< how the header comes about: rich text
};
/// `ofFloor`: the makespan as a multiple of the floor of the open model (R19), if the run is of it.
[[nodiscard]] NpuChartModel buildNpuChart(const NpuDocument& state, std::optional<double> ofFloor = {});

struct NpuChartOptions
{
    bool engines = true; ///< lanes of engines and DMA below each core's states
    bool banks = true;   ///< heat map of the DRAM banks
    bool misses = false; ///< heat map: share of row misses instead of bytes per cycle
};

/// The lanes of the cores, each headed by its states, then those of DRAM, NoC and the ready units.
[[nodiscard]] LaneModel npuLanes(const NpuChartModel& model, const NpuChartOptions& options);
/// The title of the chart, with the state of the simulation.
[[nodiscard]] QString npuTitle(const NpuChartModel& model);

/// The DRAM banks over time: bytes or misses per pixel, or single groups of bursts.
[[nodiscard]] Lane npuBankLane(const NpuChartModel& model, bool misses, std::shared_ptr<DramCache> cache);

} // namespace tilewright::ui
