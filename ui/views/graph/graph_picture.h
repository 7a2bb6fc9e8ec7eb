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

/// What the graph view paints: the graph with its marks, what the hand does, the key, the overview; and the
/// same as a picture for export.
class GraphPicture
{
    Q_DECLARE_TR_FUNCTIONS(GraphPicture)
public:
    GraphPicture(const ViewContext& context, const GraphLayouter& layouter, const GraphNavigator& navigator,
                 const GraphCursor& cursor, const GraphGestures& gestures, const GraphBars& bars,
                 QWidget& view);

    void paint(QPainter& painter, const Theme& theme);
    void paintExport(QPainter& painter, const QRectF& area, const Theme& theme) const;
    [[nodiscard]] Viewport exportViewport(const QRectF& area) const; ///< of paintExport()
    void forgetOverview() { m_overview = {}; }                       ///< of another model or theme

private:
    [[nodiscard]] QRectF exportRoom(const QRectF& area) const; ///< of the graph itself
    [[nodiscard]] GraphMarks marks() const;
    [[nodiscard]] GraphMarks lastingMarks() const; ///< those that an export shows
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

/// A panel of `size` beside the cursor: inside `room` and, as far as there is a side where that goes, without
/// covering `avoid` or the cursor, nor more than it has to of the others. Below and to the right first.
[[nodiscard]] QRectF placeBeside(QPointF cursor, QSizeF size, const QRectF& room, const QRectF& avoid,
                                 std::span<const QRectF> others = {});

} // namespace tilewright::ui
