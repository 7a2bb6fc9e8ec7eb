// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "views/graph/graph_model.h"

#include <optional>

namespace tilewright::ui {

/// The items at a point of the picture, the most specific first.
struct GraphHit
{
    std::optional<std::size_t> node;
    std::optional<OpId> op;             ///< set if the node is an op
    std::optional<TensorId> tensor;     ///< set for an input or output, or if a line is near
    std::optional<std::size_t> line;    ///< the edge that is near
    std::optional<SubgraphId> subgraph; ///< the tab, card or area under the point
    bool isSection = false;             ///< the node represents several subgraphs
    bool onHandle = false;              ///< on the tab or card: a drag moves the whole subgraph
};

/// `tolerance`: maximum distance of a line in scene units.
[[nodiscard]] GraphHit hitTest(const GraphModel& model, QPointF scene, double tolerance);
/// The items at a point of the screen; lines are hit within a few pixels.
[[nodiscard]] GraphHit hitTest(const GraphModel& model, const Viewport& viewport, QPointF position);

/// Bounding box of the nodes of these ops, cards included; empty if none is shown.
[[nodiscard]] QRectF boundsOf(const GraphModel& model, const std::set<OpId>& ops);

/// The items that a click on the node would hit.
[[nodiscard]] GraphHit hitOfNode(const GraphModel& model, std::size_t node);

/// The target of a drop: the subgraph of the node or area under the point, or a new one on empty space. The
/// card of several subgraphs is no target.
struct GraphDropTarget
{
    bool nowhere = false;
    std::optional<SubgraphId> subgraph; ///< nullopt = a new one
};
[[nodiscard]] GraphDropTarget dropTarget(const GraphModel& model, QPointF scene);

/// The subgraph whose area contains a node.
[[nodiscard]] std::optional<SubgraphId> subgraphOf(const GraphModel& model, std::size_t node);

/// The rectangle of a subgraph's tab.
[[nodiscard]] QRectF tabRect(const GraphModel& model, const GraphHull& hull);

} // namespace tilewright::ui
