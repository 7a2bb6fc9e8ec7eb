// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_picture.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <utility>
#include <vector>

namespace tilewright::ui {

GraphPicture::GraphPicture(const ViewContext& context, const GraphLayouter& layouter,
                           const GraphNavigator& navigator, const GraphCursor& cursor,
                           const GraphGestures& gestures, const GraphBars& bars, QWidget& view)
    : m_context(context), m_layouter(layouter), m_navigator(navigator), m_cursor(cursor),
      m_gestures(gestures), m_bars(bars), m_view(view)
{
}

GraphMarks GraphPicture::exportMarks() const
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
                                           : !after ? tr("has it resident")
                                                    : tr("resident, retains it");
    }
    return marks;
}

GraphMarks GraphPicture::marks() const
{
    GraphMarks marks = exportMarks();
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
    paintGraph(painter, model, exportViewport(area), exportRoom(area), theme, exportMarks());
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

namespace {

constexpr QSizeF kLargestGhost(190, 74); // maximum size of the picture of the dragged ops, in pixels
constexpr double kPad = 9;

double area(const QRectF& r)
{
    return r.isEmpty() ? 0 : r.width() * r.height();
}

} // namespace

QRectF placeBeside(QPointF cursor, QSizeF size, const QRectF& room, const QRectF& avoid,
                   std::span<const QRectF> others)
{
    constexpr double right = 18, left = 14, below = 22, above = 14;
    const double w = size.width(), h = size.height();
    const QPointF corners[] = {cursor + QPointF(right, below),
                               cursor + QPointF(-left - w, below),
                               cursor + QPointF(right, -above - h),
                               cursor + QPointF(-left - w, -above - h),
                               // If there is no room at the cursor: below the area to avoid.
                               {cursor.x() + right, avoid.bottom() + 6},
                               {cursor.x() + right, avoid.top() - 6 - h},
                               {cursor.x() - left - w, avoid.bottom() + 6},
                               {cursor.x() - left - w, avoid.top() - 6 - h},
                               {avoid.right() + 6, cursor.y() + below},
                               {avoid.right() + 6, cursor.y() - above - h},
                               {avoid.left() - 6 - w, cursor.y() + below},
                               {avoid.left() - 6 - w, cursor.y() - above - h}};
    const QRectF inner = room.adjusted(4, 4, -4, -4);
    const QRectF pointer(cursor - QPointF(3, 3), QSizeF(16, 20));
    QRectF best;
    // Overlap with the area that must not be covered, then with the other areas.
    std::pair<double, double> bestCost;
    for (const QPointF& corner : corners) {
        QRectF box(corner, size);
        box.moveRight(std::min(box.right(), inner.right()));
        box.moveBottom(std::min(box.bottom(), inner.bottom()));
        box.moveLeft(std::max(box.left(), inner.left()));
        box.moveTop(std::max(box.top(), inner.top()));
        std::pair cost(area(box & avoid) + 4 * area(box & pointer), 0.0);
        for (const QRectF& other : others)
            cost.second += area(box & other);
        if (best.isNull() || cost < bestCost) {
            best = box;
            bestCost = cost;
        }
    }
    return best;
}

void GraphPicture::paintDrag(QPainter& painter, const Theme& theme) const
{
    const GraphModel& model = *m_layouter.model();
    const GraphDrag& drag = m_gestures.drag();
    const Viewport& viewport = m_navigator.viewport();
    const QRectF room = m_bars.content();
    // The dragged ops are painted small above the text, so that they do not cover the verdict of the target.
    GraphModel carried;
    carried.geometry = model.geometry;
    QRectF around;
    for (OpId op : drag.drop().ops)
        if (const auto v = model.geometry->nodeOf(op)) {
            carried.nodes.push_back(model.nodes[*v]);
            carried.nodes.back().moved = false;
            around |= carried.nodes.back().rect;
        }
    QSizeF ghost;
    if (!around.isEmpty()) {
        const double scale =
            std::min({kLargestGhost.width() / around.width(), kLargestGhost.height() / around.height(), 0.8});
        ghost = around.size() * scale + QSizeF(4, 4);
    }

    const GraphVerdict verdict = drag.verdict();
    const QColor colour = verdictColour(verdict.kind, theme);
    const QFont small = uiFont(0.9), large = uiFont(1.15, QFont::DemiBold);
    const QFontMetricsF sm(small), lm(large);
    const double widest =
        std::clamp(sm.averageCharWidth() * 50, 200.0, std::max(200.0, 0.6 * m_view.width()));
    const auto wrapped = [&](const QString& text) {
        return text.isEmpty() ? QRectF()
                              : sm.boundingRect(QRectF(0, 0, widest, 1000), Qt::TextWordWrap, text);
    };
    const QRectF sentence = wrapped(drag.sentence()), detail = wrapped(verdict.detail);
    QString keys;
    if (drag.isOverTarget()) {
        const auto instead = drag.recomputeInstead();
        if (verdict.kind == GraphVerdict::Kind::Refused && !drag.drop().force)
            keys = (instead ? tr("Ctrl: recompute there (%1)").arg(instead->text) + QLatin1Char('\n')
                            : QString()) +
                   tr("hold Alt to drop anyway");
        else if (!drag.drop().recompute)
            keys = tr("Ctrl: recompute there");
    }
    const QRectF hint = wrapped(keys);
    const double wide = std::min(widest, std::max({sentence.width(), lm.horizontalAdvance(verdict.text),
                                                   detail.width(), hint.width(), ghost.width()}) +
                                             4);
    const double words = sentence.height() + lm.height() + detail.height() + hint.height() + 14;
    const double above = ghost.isEmpty() ? 0 : ghost.height() + 6;

    QRectF badge; // the target's badge, enlarged because its text may be longer than the badge
    if (const auto target = drag.drop().to;
        drag.isOverTarget() && target && target->index() < model.hulls.size()) {
        badge = viewport.toScreen(tabRect(model, model.hulls[target->index()]));
        badge = QRectF(badge.left(), badge.center().y() - 14, std::max(badge.width(), 120.0), 28);
        badge.moveTop(std::max(badge.top(), room.top()));
        badge.moveLeft(std::max(badge.left(), room.left()));
    }
    // Verdicts of other targets with a gain should not be covered either, as far as there is room.
    std::vector<QRectF> better;
    for (const auto& [s, label] : drag.labels())
        if (label.kind == GraphVerdict::Kind::Better && s.index() < model.hulls.size() && s != drag.drop().to)
            better.push_back(viewport.toScreen(model.hulls[s.index()].bounds));
    const QRectF box =
        placeBeside(m_gestures.mouse(), QSizeF(wide + 2 * kPad, words + above), room, badge, better);
    painter.setPen(QPen(colour, 1.6));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 6, 6);
    if (!ghost.isEmpty()) {
        const QRectF at(box.left() + kPad, box.top() + 7, ghost.width(), ghost.height());
        paintGraph(painter, carried, Viewport::fit(around, at, 2, 1), at, theme);
    }
    QRectF line = box.adjusted(kPad, 6 + above, -kPad, 0);
    const auto write = [&](const QFont& font, double height, const QColor& ink, const QString& text) {
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(QRectF(line.left(), line.top(), line.width(), height + 2), Qt::TextWordWrap, text);
        line.adjust(0, height, 0, 0);
    };
    write(small, sentence.height(), theme.text, drag.sentence());
    write(large, lm.height(), colour, verdict.text);
    write(small, detail.height(), theme.text, verdict.detail);
    write(small, hint.height(), theme.muted, keys);
}

} // namespace tilewright::ui
