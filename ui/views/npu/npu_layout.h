// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/npu/npu_columns.h"

#include <QRectF>

#include <optional>
#include <vector>

namespace tilewright::ui {

/// What the NPU chart shows, besides the visible range and the mouse.
struct NpuChartModel
{
    QString hint; ///< instead of a picture
    QString error;
    bool refused = false; ///< the result is not of the present settings: they cannot run
    bool busy = false;
    NpuResultPtr result, ghost; ///< ghost may be null
    std::shared_ptr<const RateCurve> noc, ghostNoc;
    double total = 0; ///< end of the time axis: the longer of both runs
    QString header;   ///< "BERT base block · dynamic on 4 cores · 548 520 cycles"
};
[[nodiscard]] NpuChartModel buildNpuChart(const NpuState& state);

struct NpuChartOptions
{
    bool engines = true; ///< lanes of engines and DMA below each core's states
    bool banks = true;   ///< heat map of the DRAM banks
    bool misses = false; ///< its colour is the share of row misses, otherwise bytes a cycle
};

enum class NpuLaneKind { State, Engines, Dma, Spm, Dram, Banks, Noc, Ready };
struct NpuLane
{
    NpuLaneKind kind = NpuLaneKind::State;
    std::size_t core = 0;
    QRectF rect; ///< may lie outside the plot when scrolled
};

struct NpuPlaces
{
    QRectF title, legend, readout, plot, labels, facts, axis, overview;
    std::vector<NpuLane> lanes;
    double contentHeight = 0; ///< of all lanes; the plot scrolls when it is lower
    [[nodiscard]] const NpuLane* laneAt(QPointF position) const;
};
/// `shrink`: everything is made to fit (exports) instead of scrolling.
[[nodiscard]] NpuPlaces npuPlaces(const QRectF& area, const NpuChartModel& model,
                                  const NpuChartOptions& options, double scroll, bool shrink);

/// Height at which no lane is squeezed.
[[nodiscard]] double npuNaturalHeight(const NpuChartModel& model, const NpuChartOptions& options);

} // namespace tilewright::ui
