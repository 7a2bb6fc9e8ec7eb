// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/plot_model.h"
#include "views/roofline/roofline_model.h"

#include <set>

namespace tilewright::ui {

struct Theme;

struct RooflineMarks
{
    std::optional<SubgraphId> current;
    std::set<SubgraphId> selected;
};

/// The roofs as lines and the subgraphs as marks. The id of a mark is the index in RooflineModel::dots;
/// ghosts follow behind the dots.
[[nodiscard]] PlotModel rooflinePlot(const RooflineModel& model, const RooflineMarks& marks,
                                     const Theme& theme);

/// Radius in pixels; the area is proportional to the latency.
[[nodiscard]] double dotRadius(const RooflineModel& model, const RooflineDot& dot);

} // namespace tilewright::ui
