// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "theme/theme.h"
#include "views/graph/graph_model.h"

#include <span>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// Returns the colour of each subgraph, and the legend. `categories`: hue index of each subgraph.
[[nodiscard]] std::pair<std::vector<GraphFill>, GraphLegend>
colourSubgraphs(const Snapshot& snapshot, const std::vector<std::size_t>& categories,
                GraphColouring colouring);

/// Text beside the latency of a subgraph with the same information as its colour: "△" if compute-bound,
/// "0.42" for an intensity. Empty if the latency or the number of the subgraph already shows it.
[[nodiscard]] QString colourMark(const SubgraphEvaluation& evaluation, GraphColouring colouring);

[[nodiscard]] GraphFill opTypeFill(OpType type);

/// Returns the colour of each op on a ramp over the values, and the legend. Ops without a value are neutral.
[[nodiscard]] std::pair<std::vector<GraphFill>, GraphLegend> colourOps(const OpValues& values,
                                                                       std::size_t ops);
/// Returns the op with the largest value, which gives a group of ops its colour; ops.front() if no op has a
/// value.
[[nodiscard]] OpId leadingOp(const OpValues& values, std::span<const OpId> ops);

/// Returns how the ops have changed compared with the other model: the common change of all ops, or Changed
/// if they differ.
[[nodiscard]] model::OperatorChange changeOf(const std::vector<model::OperatorChange>& changes,
                                             std::span<const OpId> ops);
[[nodiscard]] GraphFill changeFill(model::OperatorChange change);
[[nodiscard]] QString changeText(model::OperatorChange change); ///< "new", "gone"

/// Colours of the graph that are derived from roles of the theme. A test requires a contrast of 3:1 for lines
/// and borders, and of 4.5:1 for the numbers on the lines, on the canvas and on every area.
struct GraphRoles
{
    QColor line;        ///< lines and arrow heads
    QColor farLine;     ///< lines of a graph at low zoom, thousands of them
    QColor densestLine; ///< lines while nodes are drawn as dots: dense enough to be visible, but they must
                        ///< not hide the ops
    QColor lineBehind;  ///< lines during a search: dimmed on purpose
    QColor tensorFill;  ///< graph inputs and outputs
    QColor tensorBorder;
    QColor tensorBlock; ///< graph inputs and outputs at low zoom, without border
    QColor figure;      ///< numbers for the traffic on the lines
};

[[nodiscard]] GraphRoles graphRoles(const Theme& theme);

/// Returns fill and border of a subgraph's area. `hot`: true if it is under the mouse.
[[nodiscard]] QColor hullColour(const GraphFill& fill, const Theme& theme, bool hot = false);
[[nodiscard]] QColor hullBorder(const GraphFill& fill, const Theme& theme);

/// Colour of an operator's change compared with the other model.
[[nodiscard]] QColor changeColour(model::OperatorChange change, const Theme& theme);
/// Line style that shows the change without colour.
[[nodiscard]] Qt::PenStyle changeLine(model::OperatorChange change);

[[nodiscard]] QColor fillColour(const GraphFill& fill, const Theme& theme);
[[nodiscard]] QColor borderColour(const GraphFill& fill, const Theme& theme);

} // namespace tilewright::ui
