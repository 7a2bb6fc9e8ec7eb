// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

#include <utility>
#include <vector>

namespace tilewright::ui {

/// The fill of each subgraph and what it says. `categories`: index of the hue of each subgraph.
[[nodiscard]] std::pair<std::vector<GraphFill>, GraphLegend>
colourSubgraphs(const Snapshot& snapshot, const std::vector<std::size_t>& categories,
                GraphColouring colouring);

/// The same without colour, beside the latency of a subgraph: "△" when bound by compute, "0.42" as intensity;
/// empty where the latency or the number of the subgraph says it already.
[[nodiscard]] QString colourMark(const SubgraphEvaluation& evaluation, GraphColouring colouring);

[[nodiscard]] GraphFill opTypeFill(OpType type);

} // namespace tilewright::ui
