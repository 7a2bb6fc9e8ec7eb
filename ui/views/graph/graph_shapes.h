// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layout.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>

#include <vector>

namespace tilewright::ui {

struct GraphNode;

[[nodiscard]] inline QPointF toPoint(const LayoutPoint& p)
{
    return {p.x, p.y};
}

[[nodiscard]] QPainterPath curve(const LayoutRoute& route);

[[nodiscard]] QPainterPath roundedPolygon(const std::vector<LayoutPoint>& polygon, double radius);

/// Whether the polygon is an upright rectangle.
[[nodiscard]] bool isBox(const std::vector<LayoutPoint>& polygon);
/// Upper left point of a polygon and the length of the edge that starts there, as a rectangle without height.
[[nodiscard]] QRectF upperEdge(const std::vector<LayoutPoint>& polygon);

/// Shapes of the ops (docs/design.md 4.10): MatMul with a cut corner, Pointwise as a pill;
/// graph inputs and outputs as trapezoids.
[[nodiscard]] QPainterPath matMulShape(const QRectF& rect);
[[nodiscard]] QPainterPath pointwiseShape(const QRectF& rect);
[[nodiscard]] QPainterPath inputShape(const QRectF& rect);
[[nodiscard]] QPainterPath outputShape(const QRectF& rect);
[[nodiscard]] QPainterPath cardShape(const QRectF& rect);
[[nodiscard]] QPainterPath nodeShape(const GraphNode& node);

/// An arrow that runs round: "recomputed".
[[nodiscard]] QPainterPath recomputeSign(const QRectF& rect);

} // namespace tilewright::ui
