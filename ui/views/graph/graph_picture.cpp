// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_picture.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

GraphPicture::GraphPicture(const ViewContext& context, const GraphLayouter& layouter,
                           const GraphNavigator& navigator, const GraphCursor& cursor,
                           const GraphGestures& gestures, const GraphBars& bars, QWidget& view)
    : m_context(context), m_layouter(layouter), m_navigator(navigator), m_cursor(cursor),
      m_gestures(gestures), m_bars(bars), m_view(view)
{
}

GraphMarks GraphPicture::lastingMarks() const
{
    GraphMarks marks;
    const SelectionState& s = m_context.selection.state();
    marks.ops = s.ops;
    if (!m_layouter.isPreview())
        marks.subgraphs = s.subgraphs;
    marks.tensor = s.tensor;
    if (!s.tensor)
        return marks;
    const Snapshot& snapshot = *m_layouter.model()->snapshot;
    for (std::size_t i = 0; i < snapshot.schedule.size(); ++i) {
        const auto holds = [&](std::span<const TensorId> kept) {
            return std::find(kept.begin(), kept.end(), *s.tensor) != kept.end();
        };
        const bool before = holds(snapshot.residentBefore(SubgraphId(i)));
        const bool after = holds(snapshot.schedule.subgraphs[i]->retain);
        if (before || after)
            marks.holding[SubgraphId(i)] = !before  ? tr("retains it")
                                           : !after ? tr("finds it resident")
                                                    : tr("resident, retains it");
    }
    return marks;
}

GraphMarks GraphPicture::marks() const
{
    GraphMarks marks = lastingMarks();
    const HoverState& hover = m_context.selection.hover();
    marks.hoverOp = hover.op;
    marks.hoverTensor = hover.tensor;
    if (!m_layouter.isPreview())
        marks.hoverSubgraph = hover.subgraph;
    if (m_view.hasFocus())
        marks.cursor = m_cursor.node();
    marks.searching = m_cursor.isSearching();
    marks.found.insert(m_cursor.found().begin(), m_cursor.found().end());
    if (m_cursor.currentFound() < m_cursor.found().size())
        marks.currentFound = m_cursor.found()[m_cursor.currentFound()];
    if (m_gestures.isDragging()) {
        const OpDrop& drop = m_gestures.drag().drop();
        marks.dragging = true;
        marks.carried.insert(drop.ops.begin(), drop.ops.end());
        marks.verdicts = m_gestures.drag().labels();
        marks.target = drop.to;
    }
    return marks;
}

void GraphPicture::paintExport(QPainter& painter, const QRectF& area, const Theme& theme) const
{
    const GraphModel& model = *m_layouter.model();
    const double banner = m_bars.banner().height();
    if (m_layouter.isPreview())
        m_bars.paintBanner(painter, {area.topLeft(), QSizeF(area.width(), banner)}, theme);
    if (const QString note = m_bars.noteText(); !note.isEmpty()) {
        painter.setFont(uiFont(0.9));
        painter.setPen(theme.muted);
        painter.drawText(area.adjusted(12, banner + 8, -12, 0), Qt::AlignTop | Qt::AlignHCenter, note);
    }
    paintGraph(painter, model, exportViewport(area), exportRoom(area), theme, lastingMarks());
    paintGraphLegend(painter, model, area, theme);
}

QRectF GraphPicture::exportRoom(const QRectF& area) const
{
    QRectF room =
        area.adjusted(0, m_bars.banner().height(), 0, -graphLegendHeight(*m_layouter.model(), area));
    if (!m_bars.noteText().isEmpty())
        room.setTop(room.top() + 8 + QFontMetricsF(uiFont(0.9)).height());
    return room;
}

Viewport GraphPicture::exportViewport(const QRectF& area) const
{
    return Viewport::fit(m_layouter.model()->bounds, exportRoom(area), 24, 2);
}

void GraphPicture::paint(QPainter& painter, const Theme& theme)
{
    const QRectF room = m_bars.content();
    if (m_layouter.isPreview())
        m_bars.paintBanner(painter, m_bars.banner(), theme);
    paintGraph(painter, m_layouter.shownModel(), m_navigator.viewport(), room, theme, marks());
    paintBand(painter, theme);
    if (m_gestures.isDragging()) {
        paintDrag(painter, theme);
        return;
    }
    QRectF legendRoom = room;
    if (const QRectF box = m_navigator.overviewRect(); !box.isEmpty())
        legendRoom.setRight(box.left());
    if (m_bars.legend())
        m_legend.paint(painter, *m_layouter.model(), legendRoom, theme);
    paintOverview(painter, theme);
}

void GraphPicture::paintBand(QPainter& painter, const Theme& theme) const
{
    if (m_gestures.band().isEmpty())
        return;
    QColor fill = theme.accent;
    fill.setAlphaF(0.12F);
    painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
    painter.setBrush(fill);
    painter.drawRect(m_gestures.band());
}

void GraphPicture::paintOverview(QPainter& painter, const Theme& theme)
{
    const QRectF box = m_navigator.overviewRect();
    if (box.isEmpty())
        return;
    const double ratio = m_view.devicePixelRatioF();
    if (m_overview.isNull() || m_overview.deviceIndependentSize().toSize() != box.size().toSize()) {
        m_overview = QPixmap((box.size() * ratio).toSize());
        m_overview.setDevicePixelRatio(ratio);
        m_overview.fill(theme.panel);
        QPainter p(&m_overview);
        p.setRenderHint(QPainter::Antialiasing);
        paintGraphOverview(p, *m_layouter.model(), QRectF(QPointF(0, 0), box.size()), theme);
    }
    painter.drawPixmap(box.topLeft(), m_overview);
    const QRectF seen = m_navigator.small()
                            .toScreen(m_navigator.viewport().toScene(m_bars.content()))
                            .intersected(box.adjusted(1, 1, -1, -1));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1.6));
    painter.drawRect(seen);
    painter.setPen(QPen(theme.outline, 1));
    painter.drawRect(box);
}

} // namespace tilewright::ui
