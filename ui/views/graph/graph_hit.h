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
/// Upper left point of a polygon and the length of the edge that starts there, as a rectangle of height 0.
[[nodiscard]] QRectF upperEdge(const std::vector<LayoutPoint>& polygon);

/// Shapes of the ops (docs/design.md 4.10): MatMul with a cut corner, Pointwise as a pill;
/// graph inputs and outputs as trapezoids.
[[nodiscard]] QPainterPath matMulShape(const QRectF& rect);
[[nodiscard]] QPainterPath pointwiseShape(const QRectF& rect);
[[nodiscard]] QPainterPath inputShape(const QRectF& rect);
[[nodiscard]] QPainterPath outputShape(const QRectF& rect);
[[nodiscard]] QPainterPath cardShape(const QRectF& rect);
[[nodiscard]] QPainterPath nodeShape(const GraphNode& node);

/// A circular arrow: "recomputed".
[[nodiscard]] QPainterPath recomputeSign(const QRectF& rect);

/// Finds positions for labels on lines that cover no nodes, tabs or other labels.
class LabelPlacer
{
public:
    void take(const QRectF& rect);
    /// Tries the given parts of the last curve of the route, which the line shares with no other, and returns
    /// the first free rectangle.
    [[nodiscard]] std::optional<QRectF> place(const LayoutRoute& route, const QSizeF& size,
                                              std::initializer_list<double> at);
    /// The rectangle at such a part, free or not.
    [[nodiscard]] static QRectF around(const LayoutRoute& route, const QSizeF& size, double at);

private:
    [[nodiscard]] bool isFree(const QRectF& rect) const;

    QHash<quint64, std::vector<QRectF>> m_cells;
};

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
