// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
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

/// Colours of the graph that follow from roles of the theme. A test holds lines and borders to 3:1 on the
/// canvas and on every area, and the figures on the lines to 4.5:1.
struct GraphRoles
{
    QColor line;        ///< lines and arrow heads
    QColor farLine;     ///< lines of a graph seen from far away, thousands of them
    QColor densestLine; ///< when nodes are dots: together they are dark enough, and must not hide the ops
    QColor lineBehind;  ///< lines while something is sought: they step back on purpose
    QColor tensorFill;  ///< graph inputs and outputs
    QColor tensorBorder;
    QColor tensorBlock; ///< the same from far away, without a border
    QColor figure;      ///< traffic on the lines
};

[[nodiscard]] GraphRoles graphRoles(const Theme& theme);

/// Area of a subgraph and its border. `hot`: under the mouse.
[[nodiscard]] QColor hullColour(const GraphFill& fill, const Theme& theme, bool hot = false);
[[nodiscard]] QColor hullBorder(const GraphFill& fill, const Theme& theme);

/// What an operator is against the model that is compared with.
[[nodiscard]] QColor changeColour(model::OperatorChange change, const Theme& theme);
[[nodiscard]] Qt::PenStyle changeLine(model::OperatorChange change); ///< told without colours

[[nodiscard]] QColor fillColour(const GraphFill& fill, const Theme& theme);
[[nodiscard]] QColor borderColour(const GraphFill& fill, const Theme& theme);

} // namespace tilewright::ui
