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

/// Finds places on lines for what must cover neither nodes nor tabs nor one another.
class PlacesOnLines
{
public:
    void take(const QRectF& rect);
    /// Tries the given parts of the last curve of the route, which the line shares with no other, and takes
    /// the first that is free.
    [[nodiscard]] std::optional<QRectF> place(const LayoutRoute& route, const QSizeF& size,
                                              std::initializer_list<double> at);
    /// Around such a part, free or not.
    [[nodiscard]] static QRectF around(const LayoutRoute& route, const QSizeF& size, double at);

private:
    [[nodiscard]] bool isFree(const QRectF& rect) const;

    QHash<quint64, std::vector<QRectF>> m_cells;
};

} // namespace tilewright::ui
