// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_paint.h"

#include "canvas/bound_mark.h"
#include "theme/number.h"
#include "theme/theme.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kDetailPixels = 16; // narrower bars show the latency alone
constexpr double kBarPixels = 3;     // narrower ones are gathered by pixel

QString tr(const char* text)
{
    return QCoreApplication::translate("Latency", text);
}

struct LegendEntry
{
    QString text;
    const QColor* colour; // null: the outline
};

std::vector<LegendEntry> legendEntries(bool detailed, const Theme& theme)
{
    if (detailed)
        return {{tr("outline: latency"), nullptr},
                {tr("compute"), &theme.computeTime},
                {tr("load"), &theme.loadTime},
                {tr("store"), &theme.storeTime}};
    std::vector<LegendEntry> out;
    for (const Bound b : {Bound::Compute, Bound::Memory, Bound::Balanced})
        out.push_back({boundText(b), &boundColour(b, theme)});
    return out;
}

double legendWidth(const LatencyModel& model, bool detailed)
{
    const QFontMetricsF fm(uiFont(0.9));
    double width = model.hasBaseline ? 36 + fm.horizontalAdvance(tr("baseline")) : 0;
    for (const LegendEntry& e : legendEntries(detailed, Theme::light()))
        width += 30 + fm.horizontalAdvance(e.text);
    return width;
}

/// The legend stands beside the title when there is room for its longer form.
bool legendBeside(const LatencyModel& model, double width)
{
    const double title = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).horizontalAdvance(model.title);
    return title + 32 + std::max(legendWidth(model, true), legendWidth(model, false)) < width;
}

void paintLegend(QPainter& painter, const LatencyModel& model, const QRectF& area, bool detailed,
                 const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const bool beside = legendBeside(model, area.width());
    const double line = beside ? area.top() + 5 + fm.ascent() : area.bottom() - 5;
    double x = beside ? area.right() - legendWidth(model, detailed) : area.left() + 8;
    for (const LegendEntry& e : legendEntries(detailed, theme)) {
        if (x + 18 + fm.horizontalAdvance(e.text) > area.right())
            return;
        const QRectF box(x, line - 10, 12, 12);
        painter.fillRect(box, e.colour ? *e.colour : Theme::mix(theme.canvas, theme.muted, 0.12));
        painter.setPen(QPen(theme.outline, e.colour ? 1 : 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 17, line), e.text);
        x += 30 + fm.horizontalAdvance(e.text);
    }
    if (model.hasBaseline && x + 25 + fm.horizontalAdvance(tr("baseline")) <= area.right()) {
        painter.setPen(QPen(theme.text, 1.6, Qt::DashLine));
        painter.drawLine(QPointF(x, line - 4), QPointF(x + 20, line - 4));
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 25, line), tr("baseline"));
    }
}

/// The latency as an outline that holds the compute time beside the memory time: whichever fills it binds.
void paintDetailed(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                   const Theme& theme, bool current)
{
    const double base = size.toPixel(0);
    const double inset = std::clamp(slot.width() * 0.14, 2.0, 18.0);
    const QRectF box(QPointF(slot.left() + inset, size.toPixel(bar.latency)),
                     QPointF(slot.right() - inset, base));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(box, Theme::mix(theme.canvas, theme.muted, 0.12));
    const double half = std::max(1.0, (box.width() - 5) / 2);
    const auto column = [&](double left, double from, double to, const QColor& colour) {
        painter.fillRect(QRectF(QPointF(left, size.toPixel(to)), QPointF(left + half, size.toPixel(from))),
                         colour);
    };
    column(box.left() + 2, 0, bar.compute, theme.computeTime);
    column(box.left() + 3 + half, 0, bar.load, theme.loadTime);
    column(box.left() + 3 + half, bar.load, bar.load + bar.store, theme.storeTime);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(!bar.fits ? theme.error
                        : current ? theme.accent
                                  : theme.outline,
                        current || !bar.fits ? 2 : 1));
    painter.drawRect(box);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintGhost(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                const Theme& theme)
{
    if (!bar.before || std::abs(*bar.before - bar.latency) <= 1e-9 * bar.latency)
        return; // nothing to compare with, or nothing has changed
    const double y = size.toPixel(*bar.before);
    const double left = slot.left() + 1;
    const double right = std::max(slot.right() - 1, left + 2);
    painter.setPen(QPen(theme.canvas, 3.5));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    QPen pen(theme.text, 1.6);
    pen.setDashPattern({3, 2});
    painter.setPen(slot.width() > 10 ? pen : QPen(theme.text, 1.6));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
}

/// The longest bar of every pixel column.
void paintDense(QPainter& painter, const LatencyModel& model, const QRectF& plot, const Axis& slots,
                const Axis& size, const Theme& theme, const LatencyOverlay& overlay)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto n = static_cast<std::int64_t>(model.bars.size());
    for (int x = 0; x < static_cast<int>(plot.width()); ++x) {
        const auto i0 = static_cast<std::int64_t>(slots.toValue(plot.left() + x));
        const auto i1 = static_cast<std::int64_t>(std::ceil(slots.toValue(plot.left() + x + 1)));
        const LatencyBar* high = nullptr;
        bool marked = false;
        for (std::int64_t i = std::max<std::int64_t>(0, i0); i < std::min(n, std::max(i1, i0 + 1)); ++i) {
            const LatencyBar& bar = model.bars[static_cast<std::size_t>(i)];
            marked = marked || overlay.selected.count(bar.id) || overlay.current == bar.id;
            if (!high || bar.latency > high->latency)
                high = &bar;
        }
        if (!high)
            continue;
        const int top = qRound(size.toPixel(high->latency));
        const int bottom = qRound(size.toPixel(0));
        const int left = static_cast<int>(plot.left()) + x;
        painter.fillRect(QRect(left, top, 1, std::max(1, bottom - top)),
                         marked ? theme.accent : boundColour(high->bound, theme));
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

} // namespace

LatencyPlaces latencyPlaces(const QRectF& area, const LatencyModel& model)
{
    LatencyPlaces p;
    const QFontMetricsF fm(uiFont(0.9));
    const double title = QFontMetricsF(uiFont(1.0, QFont::DemiBold)).height() + 10;
    const double legend = legendBeside(model, area.width()) ? 0 : fm.height() + 4;
    p.title = QRectF(area.left(), area.top(), area.width(), title + legend);
    const double left = std::round(area.left() + fm.horizontalAdvance(QStringLiteral("999M")) + 14);
    const double labels = fm.height() + 8;
    p.plot = QRectF(left, std::round(p.title.bottom() + fm.height() + 6),
                    std::max(1.0, std::floor(area.right() - 10 - left)), 0);
    p.plot.setBottom(std::max(p.plot.top() + 20, std::round(area.bottom() - labels - 4)));
    p.labels = QRectF(p.plot.left(), p.plot.bottom() + 2, p.plot.width(), labels);
    return p;
}

void paintLatency(QPainter& painter, const LatencyModel& model, const LatencyPlaces& places,
                  const Axis& slots, const Theme& theme, const LatencyOverlay& overlay)
{
    const QRectF& plot = places.plot;
    const Axis size{0, std::max(model.high, 1e-12) * 1.1, plot.bottom(), plot.top()};
    const double width = (slots.p1 - slots.p0) / (slots.v1 - slots.v0);
    const bool detailed = width >= kDetailPixels;

    painter.setFont(uiFont(1.0, QFont::DemiBold));
    const QFontMetricsF head(painter.font());
    painter.setPen(theme.text);
    const QString title = head.elidedText(model.title, Qt::ElideRight, places.title.width() - 16);
    painter.drawText(QPointF(places.title.left() + 8, places.title.top() + 5 + head.ascent()), title);
    paintLegend(painter, model, places.title, detailed, theme);
    paintYAxis(painter, size, plot, tr("time"), theme);

    painter.save();
    painter.setClipRect(
        QRectF(plot.left(), plot.top() - 14, plot.width(), places.labels.bottom() - plot.top() + 14),
        Qt::IntersectClip);
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    if (width < kBarPixels) {
        paintDense(painter, model, plot, slots, size, theme, overlay);
    } else {
        const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(slots.v0)));
        const auto last =
            std::min(model.bars.size(), static_cast<std::size_t>(std::max(0.0, std::ceil(slots.v1))));
        const double labelWidth = fm.horizontalAdvance(QString::number(model.bars.size())) + 6;
        const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(labelWidth / width)));
        double freeFrom = -1e18;
        for (std::size_t i = first; i < last; ++i) {
            const LatencyBar& bar = model.bars[i];
            const QRectF slot(slots.toPixel(static_cast<double>(i)), plot.top(), width, plot.height());
            const bool current = overlay.current == bar.id;
            if (overlay.selected.count(bar.id) || current || overlay.hover == bar.id)
                painter.fillRect(slot, current || overlay.selected.count(bar.id)
                                           ? theme.selection
                                           : Theme::mix(theme.canvas, theme.muted, 0.08));
            if (!bar.runs) {
                fillHatch(painter, QRectF(slot.left() + width * 0.2, plot.bottom() - 14, width * 0.6, 14),
                          theme);
            } else if (detailed) {
                paintDetailed(painter, bar, slot, size, theme, current);
                const QString value = shortNumber(bar.latency);
                const double y = size.toPixel(std::max(bar.latency, bar.before.value_or(0))) - 5;
                double w = fm.horizontalAdvance(value);
                if (w + 14 < width && y - fm.height() > plot.top() - 14) {
                    const double x = slot.center().x() - w / 2 + 6;
                    painter.setPen(theme.text);
                    painter.drawText(QPointF(x, y), value);
                    paintBoundMark(painter, QPointF(x - 8, y - fm.ascent() / 2 + 1), 4, bar.bound,
                                   boundColour(bar.bound, theme));
                }
            } else {
                painter.setRenderHint(QPainter::Antialiasing, false);
                painter.fillRect(QRectF(QPointF(slot.left(), size.toPixel(bar.latency)),
                                        QPointF(slot.right() - 1, size.toPixel(0))),
                                 current ? theme.accent : boundColour(bar.bound, theme));
                painter.setRenderHint(QPainter::Antialiasing, true);
            }
            paintGhost(painter, bar, slot, size, theme);
            const double left = std::min(slot.center().x() - labelWidth / 2, plot.right() - labelWidth);
            if (i % every == 0 && left >= freeFrom) {
                painter.setPen(current ? theme.accent : theme.muted);
                painter.drawText(QRectF(left, places.labels.top(), labelWidth, places.labels.height()),
                                 Qt::AlignHCenter | Qt::AlignTop, QString::number(bar.id.index()));
                freeFrom = left + labelWidth - 1;
            }
        }
    }
    painter.restore();
    painter.setPen(theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

} // namespace tilewright::ui
