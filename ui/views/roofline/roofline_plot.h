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

/// The roofs as lines, the subgraphs as marks: the id of a dot is its place in RooflineModel::dots, of a
/// ghost its place among the ghosts behind them.
[[nodiscard]] PlotModel rooflinePlot(const RooflineModel& model, const RooflineMarks& marks,
                                     const Theme& theme);

/// In pixels; the area tells the latency.
[[nodiscard]] double dotRadius(const RooflineModel& model, const RooflineDot& dot);

} // namespace tilewright::ui
