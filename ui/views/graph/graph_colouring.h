// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

#include <span>
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

/// What ops are against the model that is compared with: what they all are, else changed.
[[nodiscard]] model::OperatorChange changeOf(const std::vector<model::OperatorChange>& changes,
                                             std::span<const OpId> ops);
[[nodiscard]] GraphFill changeFill(model::OperatorChange change);
[[nodiscard]] QString changeText(model::OperatorChange change); ///< "new", "gone"

} // namespace tilewright::ui
