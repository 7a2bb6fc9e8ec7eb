// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "views/graph/graph_model.h"

#include <optional>

namespace tilewright::ui {

/// What is at a point of the picture; the most specific thing first.
struct GraphHit
{
    std::optional<std::size_t> node;
    std::optional<OpId> op;             ///< the node is an op
    std::optional<TensorId> tensor;     ///< the node is an input or output, or a line is near
    std::optional<std::size_t> line;    ///< the edge that is near
    std::optional<SubgraphId> subgraph; ///< tab, card, or area under the point
    bool isSection = false;             ///< the node stands for several subgraphs
    bool onHandle = false;              ///< on the tab or card: a drag takes the whole subgraph
};

/// `tolerance`: how near (scene units) a line must be.
[[nodiscard]] GraphHit hitTest(const GraphModel& model, QPointF scene, double tolerance);
/// At a point of the screen; a line is hit as far away as a hand is unsteady.
[[nodiscard]] GraphHit hitTest(const GraphModel& model, const Viewport& viewport, QPointF position);

/// Around the nodes of these ops, cards included; empty where none is shown.
[[nodiscard]] QRectF boundsOf(const GraphModel& model, const std::set<OpId>& ops);

/// Everything a click on the node would hit.
[[nodiscard]] GraphHit hitOfNode(const GraphModel& model, std::size_t node);

/// Where ops dropped here would land: in the subgraph of the node or area under the point, in a new one on
/// empty space, and nowhere on the card of several subgraphs.
struct GraphDropTarget
{
    bool nowhere = false;
    std::optional<SubgraphId> subgraph; ///< none = a new one
};
[[nodiscard]] GraphDropTarget dropTarget(const GraphModel& model, QPointF scene);

/// Subgraph whose area a node stands in.
[[nodiscard]] std::optional<SubgraphId> subgraphOf(const GraphModel& model, std::size_t node);

/// The strip of a subgraph's tab.
[[nodiscard]] QRectF tabRect(const GraphModel& model, const GraphHull& hull);

} // namespace tilewright::ui
