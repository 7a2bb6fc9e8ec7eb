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
    NpuResultPtr result, ghost; ///< ghost: the baseline run, may be null
    std::shared_ptr<const RateCurve> noc, ghostNoc;
    double total = 0; ///< end of the time axis: the longer of both runs
    QString header;   ///< "BERT base block · dynamic on 4 cores · 548 520 cycles"
};
[[nodiscard]] NpuChartModel buildNpuChart(const NpuDocument& state);

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
