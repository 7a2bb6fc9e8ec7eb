// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_paint.h"

#include "chart/legend.h"
#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::ui {

namespace {

/// From the bottom of the stack to its top.
struct Band
{
    ContentItem::Kind kind;
    std::int64_t MemoryUse::*elements;
};
const std::array<Band, 5> kBands{{{ContentItem::Kind::Resident, &MemoryUse::resident},
                                  {ContentItem::Kind::Retained, &MemoryUse::retained},
                                  {ContentItem::Kind::Input, &MemoryUse::input},
                                  {ContentItem::Kind::Accumulator, &MemoryUse::accumulator},
                                  {ContentItem::Kind::Output, &MemoryUse::output}}};

constexpr int kLane = 4; // pixels of the lane that shows where the followed tensor is

Axis sizeAxis(const MemoryModel& model, const QRectF& plot)
{
    std::int64_t high = std::max(model.capacity, model.timeline->peak);
    if (model.baseline)
        high = std::max(high, model.baseline->peak);
    return {0, static_cast<double>(high) * 1.08, plot.bottom(), plot.top()};
}

/// The stack of one column, or of equal neighbours. The followed tensor stands at the bottom of its bands,
/// in full colour between two lines; the rest steps back.
void paintStack(QPainter& painter, const TimelineColumn& c, int left, int width, const Axis& size,
                bool following, const Theme& theme)
{
    const QColor faint = Theme::mix(theme.canvas, theme.muted, 0.25);
    const auto pixel = [&](std::int64_t elements) {
        return qRound(size.toPixel(static_cast<double>(elements)));
    };
    std::int64_t sum = 0;
    int y = pixel(0);
    for (const Band& band : kBands) {
        const QColor& full = contentColour(band.kind, theme);
        const std::int64_t own = following ? c.tensor.*band.elements : 0;
        const int bottom = y;
        if (own > 0) {
            const int top = std::min(y, pixel(sum + own));
            painter.fillRect(QRect(left, top, width, y - top), full);
            painter.fillRect(QRect(left, bottom - 1, width, 1), theme.text);
            painter.fillRect(QRect(left, top, width, 1), theme.text);
            y = top;
        }
        sum += c.high.*band.elements;
        const int top = pixel(sum);
        if (top < y)
            painter.fillRect(QRect(left, top, width, y - top),
                             c.peakOnly && band.kind == ContentItem::Kind::Input ? faint
                             : following ? Theme::mix(theme.canvas, full, 0.35)
                                         : full);
        y = std::min(y, top);
    }
}

/// Integer rectangles of one colour: thousands of columns stay cheap, and equal neighbours become one.
void paintColumns(QPainter& painter, const std::vector<TimelineColumn>& columns, const QRectF& plot,
                  const Axis& size, bool following, const Theme& theme)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int left = static_cast<int>(plot.left());
    const auto n = static_cast<int>(columns.size());
    for (int x = 0; x < n;) {
        const TimelineColumn& c = columns[static_cast<std::size_t>(x)];
        int end = x + 1;
        while (end < n && columns[static_cast<std::size_t>(end)] == c)
            ++end;
        if (!c.empty) {
            paintStack(painter, c, left + x, end - x, size, following, theme);
            // Where the column hides a spread, its lowest value is a line inside it.
            const int low = qRound(size.toPixel(static_cast<double>(c.low)));
            const int top = qRound(size.toPixel(static_cast<double>(c.high.total())));
            // (A single column is only where one subgraph follows another.)
            const auto spread = [&](int i) {
                return i >= 0 && i < n &&
                       columns[static_cast<std::size_t>(i)].low <
                           columns[static_cast<std::size_t>(i)].high.total();
            };
            if (low > top + 1 && (end - x > 1 || spread(x - 1) || spread(end)))
                painter.fillRect(QRect(left + x, low, end - x, 1),
                                 Theme::mix(theme.text, theme.canvas, 0.35));
            if (following && c.tensorIn)
                painter.fillRect(QRect(left + x, qRound(plot.bottom()) + 1, end - x, kLane), theme.accent);
        }
        x = end;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

QPainterPath outline(const std::vector<TimelineColumn>& columns, double left, const Axis& size)
{
    QPainterPath path;
    bool open = false;
    std::int64_t before = -1;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const std::int64_t v = columns[x].empty ? 0 : columns[x].high.total();
        if (v == before)
            continue;
        const QPointF at(left + static_cast<double>(x), size.toPixel(static_cast<double>(v)));
        if (open) {
            path.lineTo(at.x(), size.toPixel(static_cast<double>(before)));
            path.lineTo(at);
        } else {
            path.moveTo(at);
            open = true;
        }
        before = v;
    }
    if (open)
        path.lineTo(left + static_cast<double>(columns.size()), size.toPixel(static_cast<double>(before)));
    return path;
}

void paintGhost(QPainter& painter, const std::vector<TimelineColumn>& columns, double left, const Axis& size,
                const Theme& theme)
{
    const QPainterPath path = outline(columns, left, size);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.canvas, 3));
    painter.drawPath(path);
    painter.setPen(QPen(theme.text, 1.2, Qt::DashLine));
    painter.drawPath(path);
}

/// Which subgraph runs when, below the plot; as many numbers as fit.
void paintStrip(QPainter& painter, const MemoryModel& model, const QRectF& strip, const Axis& time,
                const Theme& theme)
{
    const QFont plain = uiFont(0.85);
    const QFont bold = uiFont(0.85, QFont::Bold);
    const TextMetrics plainMetrics(plain);
    const TextMetrics boldMetrics(bold);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto& parts = model.timeline->parts;
    const auto first = model.timeline->partAt(time.v0);
    int lastRight = -1;
    for (std::size_t i = first.value_or(0); i < parts.size() && parts[i].start <= time.v1; ++i) {
        if (parts[i].duration <= 0)
            continue;
        const int x0 = qRound(std::max(time.toPixel(parts[i].start), strip.left()));
        const int x1 = qRound(std::min(time.toPixel(parts[i].end()), strip.right()));
        if (x1 <= lastRight)
            continue; // several in one pixel
        lastRight = x1;
        const bool current = model.subgraph == parts[i].id;
        const QRect r(x0, static_cast<int>(strip.top()) + 1, std::max(1, x1 - x0 - (x1 - x0 > 3 ? 1 : 0)),
                      static_cast<int>(strip.height()) - 2);
        painter.fillRect(r, current      ? theme.accent
                            : i % 2 == 0 ? Theme::mix(theme.canvas, theme.muted, 0.18)
                                         : Theme::mix(theme.canvas, theme.muted, 0.30));
        // The subgraphs of the followed tensor: a frame and a bold number.
        const bool holds = model.track && model.track->isIn(i);
        if (holds && r.width() > 2) {
            painter.setPen(QPen(current ? theme.text : theme.accent, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(r.adjusted(0, 0, -1, -1));
        }
        const QString text = QString::number(parts[i].id.index());
        const TextMetrics& fm = holds ? boldMetrics : plainMetrics;
        const double width = fm.horizontalAdvance(text);
        if (width + 6 <= r.width()) {
            const QPointF centre = QRectF(r).center();
            painter.setFont(holds ? bold : plain);
            painter.setPen(current ? theme.inkOn(theme.accent) : theme.text);
            painter.drawText(centre + QPointF(-width / 2, (fm.ascent() - fm.descent()) / 2), text);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintCapacity(QPainter& painter, const MemoryModel& model, const QRectF& plot, const Axis& size,
                   const Theme& theme)
{
    const double y = std::round(size.toPixel(static_cast<double>(model.capacity))) + 0.5;
    const QColor& colour = model.overflows ? theme.error : theme.text;
    painter.setPen(QPen(theme.canvas, 3.5));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    QPen pen(colour, 1.5);
    pen.setDashPattern({6, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    const QFont font = uiFont(0.85);
    const TextMetrics fm(font);
    const QString text = tr("capacity %1").arg(number(model.capacity));
    const QRectF box(plot.right() - fm.horizontalAdvance(text) - 10, y - fm.height() - 2,
                     fm.horizontalAdvance(text) + 8, fm.height());
    QColor back = theme.canvas;
    back.setAlphaF(0.85F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(box, Qt::AlignCenter, text);
}

/// A triangle that points at the peak.
void paintPeak(QPainter& painter, const MemoryModel& model, const Axis& time, const Axis& size,
               const Theme& theme)
{
    const double t = model.timeline->peakTime;
    if (t < time.v0 || t > time.v1)
        return;
    const QPointF tip(time.toPixel(t), size.toPixel(static_cast<double>(model.timeline->peak)) - 1);
    const QPointF base = tip - QPointF(0, 8);
    painter.setPen(QPen(theme.canvas, 1.5));
    painter.setBrush(model.overflows ? theme.error : theme.text);
    painter.drawPolygon(QPolygonF{tip, base - QPointF(5, 0), base + QPointF(5, 0)});
}

std::vector<LegendItem> legendOf(const MemoryModel& model, const Theme& theme)
{
    std::vector<LegendItem> items;
    for (const Band& band : kBands)
        items.push_back({contentKindText(band.kind), contentColour(band.kind, theme)});
    if (model.baseline)
        items.push_back({tr("baseline"), theme.text, true});
    return items;
}

void paintTitle(QPainter& painter, const MemoryModel& model, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(1.0, QFont::DemiBold));
    TextMetrics fm(painter.font());
    const double baseline = area.top() + 4 + fm.ascent();
    painter.setPen(model.overflows && !model.track ? theme.error : theme.text);
    const QString title = fm.elidedText(model.title, Qt::ElideRight, area.width() - 16);
    painter.drawText(QPointF(area.left() + 8, baseline), title);
    const double used = fm.horizontalAdvance(title) + 32;

    // The legend beside the title when there is room, otherwise below it.
    const std::vector<LegendItem> legend = legendOf(model, theme);
    const double width = legendWidth(legend);
    const bool beside = used + width < area.width();
    paintLegend(painter, legend,
                {beside ? area.right() - width : area.left() + 8, beside ? baseline : area.bottom() - 5},
                area.right(), theme);
}

QString measuredText(const MemoryModel& model, const TimeCanvas::Range& range)
{
    QString text = tr("Δ %1").arg(number(range.second - range.first));
    if (model.range)
        text += tr(" · in memory: lowest %1, mean %2, highest %3")
                    .arg(number(model.range->steps.used.low), number(model.range->steps.meanUsed()),
                         number(model.range->steps.used.high));
    return text;
}

void paintOverview(QPainter& painter, const MemoryModel& model, const QRectF& area, const Axis& visible,
                   const MemoryColumns& columns, const Theme& theme)
{
    painter.fillRect(area, Theme::mix(theme.canvas, theme.muted, 0.08));
    const Axis size{0, static_cast<double>(std::max(model.capacity, model.timeline->peak)) * 1.05,
                    area.bottom(), area.top()};
    painter.setPen(Qt::NoPen);
    QPainterPath shape = outline(columns.current, area.left(), size);
    shape.lineTo(area.right(), size.toPixel(0));
    shape.lineTo(area.left(), size.toPixel(0));
    painter.setBrush(Theme::mix(theme.canvas, theme.muted, 0.55));
    painter.drawPath(shape);
    paintVisibleRange(painter, area, model.total, visible, theme);
}

} // namespace

MemoryPlaces memoryPlaces(const QRectF& area, const MemoryModel& model)
{
    MemoryPlaces p;
    QRectF left = area;
    if (area.width() >= 640) {
        const double em = TextMetrics(uiFont(0.9)).horizontalAdvance(QLatin1Char('0'));
        const double least = std::min(36 * em, area.width() * 0.4);
        const double w = std::round(std::clamp(area.width() * 0.27, least, std::max(least, 48 * em)));
        p.panel = memoryPanel(QRectF(area.right() - w, area.top(), w, area.height()));
        left.setRight(p.panel.area.left());
    }
    const TextMetrics fm(uiFont(0.9));
    const TextMetrics head(uiFont(1.0, QFont::DemiBold));
    const bool beside =
        head.horizontalAdvance(model.title) + 32 + legendWidth(legendOf(model, Theme::light())) <
        left.width();
    const double title = head.height() + 10 + (beside ? 0 : fm.height() + 4);
    const double overview = area.height() >= 200 ? 32 : 0;
    const double axis = fm.height() + 8;
    const double strip = TextMetrics(uiFont(0.85)).height() + 4;
    const double yLabels = fm.horizontalAdvance(QStringLiteral("999M")) + 14;
    p.title = QRectF(left.left(), left.top(), left.width(), title);
    // Whole pixels: the columns are painted on them.
    const double plotLeft = std::round(left.left() + yLabels);
    const double plotBottom =
        std::round(left.bottom() - overview - axis - strip - kLane - (overview > 0 ? 6 : 2));
    p.plot = QRectF(plotLeft, std::round(p.title.bottom() + fm.height() + 4),
                    std::max(1.0, std::floor(left.right() - 14 - plotLeft)), 0);
    p.plot.setBottom(std::max(p.plot.top() + 20, plotBottom));
    p.strip = QRectF(p.plot.left(), p.plot.bottom() + 2 + kLane, p.plot.width(), strip);
    p.axis = QRectF(p.plot.left(), p.strip.bottom(), p.plot.width(), axis);
    p.overview =
        overview > 0 ? QRectF(p.plot.left(), p.axis.bottom() + 2, p.plot.width(), overview) : QRectF();
    return p;
}

MemoryColumns MemoryColumns::of(const MemoryModel& model, double from, double to, int width)
{
    MemoryColumns out;
    out.current = timelineColumns(*model.timeline, from, to, width, model.track.get());
    if (model.baseline)
        out.baseline = timelineColumns(*model.baseline, from, to, width);
    return out;
}

void paintMemory(QPainter& painter, const MemoryModel& model, const MemoryPlaces& places, const Axis& time,
                 const MemoryColumns& columns, const MemoryColumns& overview, const Theme& theme,
                 const MemoryOverlay& overlay)
{
    const QRectF& plot = places.plot;
    const Axis size = sizeAxis(model, plot);
    paintTitle(painter, model, places.title, theme);
    paintXAxis(painter, time,
               QRectF(plot.left(), plot.top(), plot.width(), places.axis.top() - plot.top() - 2), tr("time"),
               theme);
    paintYAxis(painter, size, plot, tr("elements"), theme);
    painter.save();
    const double above = std::max(12.0, TextMetrics(uiFont(0.85)).height() + 3); // the capacity's label
    painter.setClipRect(plot.adjusted(-6, -above, 6, kLane + 1), Qt::IntersectClip);
    paintColumns(painter, columns.current, plot, size, model.track != nullptr, theme);
    if (model.baseline)
        paintGhost(painter, columns.baseline, plot.left(), size, theme);
    paintCapacity(painter, model, plot, size, theme);
    paintPeak(painter, model, time, size, theme);
    painter.restore();
    paintStrip(painter, model, places.strip, time, theme);
    const auto vertical = [&](double t, const QColor& colour, double width) {
        if (t < time.v0 || t > time.v1)
            return;
        const double x = time.toPixel(t);
        painter.setPen(QPen(theme.canvas, width + 2));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, places.strip.bottom()));
        painter.setPen(QPen(colour, width));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, places.strip.bottom()));
    };
    if (overlay.hover)
        vertical(*overlay.hover, theme.muted, 1);
    if (model.pinned)
        vertical(model.cursor, theme.accent, 1.8);
    if (overlay.measured)
        paintMeasured(painter, plot, time, *overlay.measured, measuredText(model, *overlay.measured), theme);
    if (!places.overview.isEmpty())
        paintOverview(painter, model, places.overview, time, overview, theme);
    if (!places.panel.area.isEmpty())
        paintMemoryPanel(painter, model, places.panel, overlay.scroll, overlay.barWidth, overlay.hoveredRow,
                         theme);
}

} // namespace tilewright::ui
