// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layout.h"

#include <QHash>
#include <QPainterPath>
#include <QPointF>
#include <QRectF>

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

/// Upper left point of a polygon and the length of the edge that starts there, as a rectangle without height.
[[nodiscard]] QRectF upperEdge(const std::vector<LayoutPoint>& polygon);

/// Shapes of the ops (UX.md: the type is told by the shape): MatMul with a cut corner, Pointwise as a pill;
/// graph inputs and outputs as trapezoids.
[[nodiscard]] QPainterPath matMulShape(const QRectF& rect);
[[nodiscard]] QPainterPath pointwiseShape(const QRectF& rect);
[[nodiscard]] QPainterPath inputShape(const QRectF& rect);
[[nodiscard]] QPainterPath outputShape(const QRectF& rect);
[[nodiscard]] QPainterPath cardShape(const QRectF& rect);
[[nodiscard]] QPainterPath nodeShape(const GraphNode& node);

/// An arrow that runs round: "recomputed".
[[nodiscard]] QPainterPath recomputeSign(const QRectF& rect);

/// Finds places for labels on lines that cover neither nodes nor other labels.
class LabelPlacer
{
public:
    explicit LabelPlacer(const std::vector<GraphNode>& nodes);
    /// Tries the given parts of the path's length in turn.
    [[nodiscard]] std::optional<QRectF> place(const QPainterPath& path, const QSizeF& size,
                                              std::initializer_list<double> at);
    void add(const QRectF& rect); ///< is taken

private:
    static constexpr double kCell = 128;
    template <typename F> static void forCells(const QRectF& rect, F&& f);
    [[nodiscard]] bool isFree(const QRectF& rect) const;
    QHash<quint64, std::vector<QRectF>> m_cells;
};

} // namespace tilewright::ui
