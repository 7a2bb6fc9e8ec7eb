// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane.h"
#include "views/npu/npu_columns.h"

namespace tilewright::ui {

/// The contents of the NPU chart. Does not include the visible range and the mouse.
struct NpuChartModel
{
    QString hint; ///< text shown instead of the chart; empty: show the chart
    QString error;
    /// True if the current settings cannot be simulated, so that the result belongs to earlier settings.
    bool refused = false;
    bool busy = false;
    bool stale = false; ///< true if the result is drawn pale, because a new one is being simulated
    QString progress;   ///< progress of the simulation: "52.0 %, about 3 s left"
    QString awaited;    ///< name of the model that is being simulated, if the result belongs to another model
    NpuResultPtr result, ghost; ///< `ghost`: run of the baseline; may be null
    std::shared_ptr<const RateCurve> noc, ghostNoc;
    /// Rate of the shared memory over time; null if there is no shared memory.
    std::shared_ptr<const RateCurve> shared;
    double total = 0; ///< end of the time axis: the longer of both runs
    QString header;   ///< "548 520 cycles, 2.4 times the lower bound; DRAM binds 79.5 % of the time"
    QString subject;  ///< "BERT base block · dynamic · 4 cores"
    QString details;  ///< rich text that explains the figures of the header
};
/// Builds the chart. `ofFloor`: the makespan as a multiple of the floor of the open model (R19), if the run
/// belongs to that model.
[[nodiscard]] NpuChartModel buildNpuChart(const NpuDocument& state, std::optional<double> ofFloor = {});

struct NpuChartOptions
{
    bool engines = true; ///< true: show lanes of engines and DMA below the states of each core
    bool banks = true;   ///< true: show the heat map of the DRAM banks
    bool misses = false; ///< true: the heat map shows the share of row misses instead of bytes per cycle
};

/// Returns the lanes: for each core its states and its engines, then DRAM, NoC and the ready units.
[[nodiscard]] LaneModel npuLanes(const NpuChartModel& model, const NpuChartOptions& options);
/// Returns the title of the chart with the state of the simulation.
[[nodiscard]] QString npuTitle(const NpuChartModel& model);

/// Returns the lane of the DRAM banks: bytes or misses per pixel, or single groups of bursts.
[[nodiscard]] Lane npuBankLane(const NpuChartModel& model, bool misses, std::shared_ptr<DramCache> cache);

} // namespace tilewright::ui
