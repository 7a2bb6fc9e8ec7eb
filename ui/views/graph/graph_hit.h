// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of the items of the graph, and the items at a point.
#pragma once

#include "canvas/viewport.h"
#include "layout/layout.h"
#include "views/graph/graph_model.h"

#include <QHash>
#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <initializer_list>
#include <optional>
#include <vector>

namespace tilewright::ui {

struct GraphNode;

[[nodiscard]] inline QPointF toPoint(const LayoutPoint& p)
{
    return {p.x, p.y};
}

[[nodiscard]] QPainterPath curve(const LayoutRoute& route);

[[nodiscard]] QPainterPath roundedPolygon(const std::vector<LayoutPoint>& polygon, double radius);

/// True if the polygon is an axis-parallel rectangle.
[[nodiscard]] bool isBox(const std::vector<LayoutPoint>& polygon);
/// Returns the upper left corner of a polygon and the length of the edge that starts there, as a rectangle of
/// height 0.
[[nodiscard]] QRectF upperEdge(const std::vector<LayoutPoint>& polygon);

/// Shapes of nodes (docs/design.md 4.10): a MatMul has a cut corner, a Pointwise is a pill, graph inputs and
/// outputs are trapezoids.
[[nodiscard]] QPainterPath matMulShape(const QRectF& rect);
[[nodiscard]] QPainterPath pointwiseShape(const QRectF& rect);
[[nodiscard]] QPainterPath inputShape(const QRectF& rect);
[[nodiscard]] QPainterPath outputShape(const QRectF& rect);
[[nodiscard]] QPainterPath cardShape(const QRectF& rect);
[[nodiscard]] QPainterPath nodeShape(const GraphNode& node);

/// A circular arrow, the sign of a recomputed op.
[[nodiscard]] QPainterPath recomputeSign(const QRectF& rect);

/// Finds positions for labels on lines that cover no nodes, tabs or other labels.
class LabelPlacer
{
public:
    void take(const QRectF& rect);
    /// Tries the positions `at` (0..1) on the last curve of the route, which the line shares with no other
    /// line. Returns the first free rectangle.
    [[nodiscard]] std::optional<QRectF> place(const LayoutRoute& route, const QSizeF& size,
                                              std::initializer_list<double> at);
    /// Returns the rectangle of a label at position `at` of the route, whether it is free or not.
    [[nodiscard]] static QRectF around(const LayoutRoute& route, const QSizeF& size, double at);

private:
    [[nodiscard]] bool isFree(const QRectF& rect) const;

    QHash<quint64, std::vector<QRectF>> m_cells;
};

/// The items at a point of the picture, the most specific first.
struct GraphHit
{
    std::optional<std::size_t> node;
    std::optional<OpId> op;         ///< set if the node is an op
    std::optional<TensorId> tensor; ///< set if the node is an input or output, or if a line is near the point
    std::optional<std::size_t> line;    ///< index of the edge near the point
    std::optional<SubgraphId> subgraph; ///< subgraph whose tab, card or area is under the point
    bool isSection = false;             ///< true if the node stands for several subgraphs
    bool onHandle = false;              ///< true on a tab or card: a drag moves the whole subgraph
};

/// Returns the items at a point of the scene. `tolerance`: maximum distance of a line in scene units.
[[nodiscard]] GraphHit hitTest(const GraphModel& model, QPointF scene, double tolerance);
/// Returns the items at a point of the screen. A line is hit if it is within a few pixels.
[[nodiscard]] GraphHit hitTest(const GraphModel& model, const Viewport& viewport, QPointF position);

/// Returns the bounding box of the nodes of these ops, including cards that contain them; empty if none is
/// visible.
[[nodiscard]] QRectF boundsOf(const GraphModel& model, const std::set<OpId>& ops);

/// Returns the items that a click on the node would hit.
[[nodiscard]] GraphHit hitOfNode(const GraphModel& model, std::size_t node);

/// The target of a drop: the subgraph of the node or area under the point; a new subgraph on empty space. A
/// card of several subgraphs is not a target.
struct GraphDropTarget
{
    bool nowhere = false;
    std::optional<SubgraphId> subgraph; ///< target subgraph; nullopt = a new one
};
[[nodiscard]] GraphDropTarget dropTarget(const GraphModel& model, QPointF scene);

/// Returns the subgraph whose area contains a node.
[[nodiscard]] std::optional<SubgraphId> subgraphOf(const GraphModel& model, std::size_t node);

/// Returns the rectangle of a subgraph's tab.
[[nodiscard]] QRectF tabRect(const GraphModel& model, const GraphHull& hull);

} // namespace tilewright::ui
