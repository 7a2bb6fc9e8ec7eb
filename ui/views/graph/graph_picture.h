// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_gestures.h"

#include <QCoreApplication>
#include <QPixmap>
#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <span>

namespace tilewright::ui {

/// Paints the graph view for screen and export: graph with marks, drag feedback, legend and overview.
class GraphPicture
{
    Q_DECLARE_TR_FUNCTIONS(GraphPicture)
public:
    GraphPicture(const ViewContext& context, const GraphLayouter& layouter, const GraphNavigator& navigator,
                 const GraphCursor& cursor, const GraphGestures& gestures, const GraphBars& bars,
                 QWidget& view);

    void paint(QPainter& painter, const Theme& theme);
    void paintExport(QPainter& painter, const QRectF& area, const Theme& theme) const;
    [[nodiscard]] Viewport exportViewport(const QRectF& area) const; ///< viewport that paintExport() uses
    /// discards the cached overview; called after a change of model or theme
    void forgetOverview() { m_overview = {}; }

private:
    /// Area of an export that the graph itself gets, without legend.
    [[nodiscard]] QRectF exportRoom(const QRectF& area) const;
    [[nodiscard]] GraphMarks marks() const;
    [[nodiscard]] GraphMarks exportMarks() const; ///< marks that are also shown in an export
    void paintBand(QPainter& painter, const Theme& theme) const;
    void paintDrag(QPainter& painter, const Theme& theme) const;
    void paintOverview(QPainter& painter, const Theme& theme);

    ViewContext m_context;
    const GraphLayouter& m_layouter;
    const GraphNavigator& m_navigator;
    const GraphCursor& m_cursor;
    const GraphGestures& m_gestures;
    const GraphBars& m_bars;
    QWidget& m_view;
    QPixmap m_overview;
    GraphLegendPicture m_legend;
};

/// Returns the rectangle of a panel of `size` beside the cursor, inside `room`. If possible it covers neither
/// `avoid` nor the cursor, and as little of the other rectangles as possible. Positions below and to the
/// right of the cursor are preferred.
[[nodiscard]] QRectF placeBeside(QPointF cursor, QSizeF size, const QRectF& room, const QRectF& avoid,
                                 std::span<const QRectF> others = {});

} // namespace tilewright::ui
