// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/schedule_roofline.h"
#include "snapshot/snapshot.h"
#include "workspace/selection.h"

#include <QString>

#include <utility>
#include <vector>

namespace tilewright::ui {

/// A subgraph between the roofs. Coordinates are finite even without traffic or work.
struct RooflineDot
{
    SubgraphPoint point;
    QString ops;
    double x = 1, y = 1; ///< intensity and throughput, moved to the border of the plot if infinite or 0
    double share = 0;    ///< share of the total latency: the area of the dot
    bool atEdge = false;
};

struct RooflineModel
{
    QString hint;
    QString title;
    ScheduleRoofline roofs;
    std::vector<RooflineDot> dots;   ///< largest first, so that small ones are drawn on top
    std::vector<RooflineDot> ghosts; ///< dots of the baseline, except those that have not moved
    /// (ghost, dot): the ops of one are part of the other's.
    std::vector<std::pair<std::size_t, std::size_t>> moves;
    bool hasBaseline = false;
    double xLow = 0.1, xHigh = 10, yLow = 0.01, yHigh = 1.5; ///< the visible range after "fit"
};

[[nodiscard]] RooflineModel buildRoofline(const Snapshot* snapshot, const Snapshot* baseline);
[[nodiscard]] QString rooflineTooltip(const RooflineModel& model, const RooflineDot& dot, bool ghost);
[[nodiscard]] QString rooflineAsText(const RooflineModel& model);

} // namespace tilewright::ui
