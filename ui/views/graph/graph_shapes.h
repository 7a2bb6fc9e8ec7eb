// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layout.h"

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

} // namespace tilewright::ui
