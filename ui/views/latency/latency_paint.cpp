// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_paint.h"

#include "canvas/bound_mark.h"
#include "chart/legend.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kDetailPixels = 16; // narrower bars show the latency alone
constexpr double kBarPixels = 3;     // narrower ones are gathered by pixel
constexpr double kNamePixels = 64;   // wider ones have the names of their ops below
constexpr double kPale = 0.4;

/// How much room there is for a bar.
enum class Detail { Full, Plain, Dense };

Detail detailFor(double width)
{
    return width >= kDetailPixels ? Detail::Full : width >= kBarPixels ? Detail::Plain : Detail::Dense;
}

const QColor& barColour(const LatencyBar& bar, const LatencyOptions& options, const Theme& theme)
{
    return options.colour == LatencyColour::Subgraph ? theme.category(bar.category)
                                                     : boundColour(bar.bound, theme);
}

std::vector<LegendItem> legendOf(const LatencyModel& model, Detail detail, const Theme& theme)
{
    std::vector<LegendItem> out;
    if (detail == Detail::Full && model.options.colour == LatencyColour::Parts) {
        out = {{tr("outline: latency"), Theme::mix(theme.canvas, theme.muted, 0.12)},
               {tr("compute"), theme.computeTime},
               {tr("load"), theme.loadTime},
               {tr("store"), theme.storeTime}};
    } else {
        if (model.options.colour != LatencyColour::Subgraph)
            for (const Bound b : {Bound::Compute, Bound::Memory, Bound::Balanced})
                out.push_back({boundText(b), boundColour(b, theme)});
        if (detail == Detail::Dense)
            out.push_back({tr("pale: the longest of a pixel, solid: their mean"),
                           Theme::mix(theme.canvas, theme.balanced, kPale)});
    }
    if (model.hasBaseline)
        out.push_back({tr("baseline"), theme.text, true});
    return out;
}

/// The legend stands beside the title when there is room for its longest form.
bool legendBeside(const LatencyModel& model, double width)
{
    double longest = 0;
    for (const Detail detail : {Detail::Full, Detail::Plain, Detail::Dense})
        longest = std::max(longest, legendWidth(legendOf(model, detail, Theme::light())));
    return QFontMetricsF(uiFont(1.0, QFont::DemiBold)).horizontalAdvance(model.title) + 32 + longest < width;
}

/// The latency as an outline that holds the compute time beside the memory time: whichever fills it binds.
void paintDetailed(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                   const LatencyOptions& options, const Theme& theme, bool current)
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
    if (options.colour == LatencyColour::Parts) {
        column(box.left() + 2, 0, bar.compute, theme.computeTime);
        column(box.left() + 3 + half, 0, bar.load, theme.loadTime);
        column(box.left() + 3 + half, bar.load, bar.load + bar.store, theme.storeTime);
    } else {
        painter.fillRect(box, barColour(bar, options, theme));
    }
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
    if (bar.change() == 0)
        return;
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

/// The latency above its bar and the change above the ghost, never on one another.
void paintValues(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                 const Theme& theme)
{
    const QFontMetricsF fm(painter.font());
    const QString value = shortNumber(bar.latency);
    const double w = fm.horizontalAdvance(value);
    const double top = slot.top() - 14 + fm.height();
    double y = size.toPixel(bar.latency) - 5;
    const bool ghost = bar.change() != 0;
    const double ghostY = ghost ? size.toPixel(*bar.before) : 0;
    // A ghost just above the bar goes through the number: the number then stands above the ghost.
    if (ghost && ghostY < y + 4 && ghostY > y - fm.height())
        y = ghostY - 5;
    if (w + 14 < slot.width() && y > top) {
        const double x = slot.center().x() - w / 2 + 6;
        painter.setPen(theme.text);
        painter.drawText(QPointF(x, y), value);
        paintBoundMark(painter, QPointF(x - 8, y - fm.ascent() / 2 + 1), 4, bar.bound,
                       boundColour(bar.bound, theme));
    }
    if (!ghost)
        return;
    const QString change = signedPercent(bar.latency / *bar.before - 1);
    const double changeWidth = fm.horizontalAdvance(change);
    const double at = ghostY - 5;
    // Inside the bar, or too near to the number: the tooltip says it.
    if (changeWidth + 6 > slot.width() || at <= top || at > y - fm.height())
        return;
    painter.setPen(bar.change() < 0 ? theme.ok : theme.warning);
    painter.drawText(QPointF(slot.center().x() - changeWidth / 2, at), change);
}

/// What the bars of a pixel column have in common.
struct DenseColumn
{
    const LatencyBar* high = nullptr;
    double mean = 0;
    double before = 0; ///< the longest of the baseline
    bool marked = false;
};

DenseColumn denseColumn(const LatencyModel& model, std::int64_t from, std::int64_t to,
                        const LatencyOverlay& overlay)
{
    DenseColumn out;
    for (std::int64_t i = from; i < to; ++i) {
        const LatencyBar& bar = model.bars[static_cast<std::size_t>(i)];
        out.marked = out.marked || overlay.selected.count(bar.id) || overlay.current == bar.id;
        if (!out.high || bar.latency > out.high->latency)
            out.high = &bar;
        out.mean += bar.latency / static_cast<double>(to - from);
        out.before = std::max(out.before, bar.change() != 0 ? *bar.before : 0);
    }
    return out;
}

/// Several bars a pixel: the longest pale, their mean solid.
void paintDense(QPainter& painter, const LatencyModel& model, const QRectF& plot, const Axis& slots,
                const Axis& size, const Theme& theme, const LatencyOverlay& overlay)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto n = static_cast<std::int64_t>(model.bars.size());
    const int bottom = qRound(size.toPixel(0));
    for (int x = 0; x < static_cast<int>(plot.width()); ++x) {
        const auto from =
            std::max<std::int64_t>(0, static_cast<std::int64_t>(slots.toValue(plot.left() + x)));
        const auto to = std::min(
            n, std::max(from + 1, static_cast<std::int64_t>(std::ceil(slots.toValue(plot.left() + x + 1)))));
        const DenseColumn c = denseColumn(model, from, to, overlay);
        if (!c.high)
            continue;
        const int left = static_cast<int>(plot.left()) + x;
        const auto bar = [&](double value, const QColor& colour) {
            const int top = qRound(size.toPixel(value));
            painter.fillRect(QRect(left, top, 1, std::max(1, bottom - top)), colour);
        };
        const QColor& colour = c.marked ? theme.accent : barColour(*c.high, model.options, theme);
        bar(c.high->latency, c.marked ? colour : Theme::mix(theme.canvas, colour, kPale));
        bar(c.mean, colour);
        if (c.before > 0)
            painter.fillRect(QRect(left, qRound(size.toPixel(c.before)), 1, 1), theme.text);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Numbers of the subgraphs below their bars; the names of their ops where they are wide.
void paintLabels(QPainter& painter, const LatencyModel& model, const LatencyPlaces& places, const Axis& slots,
                 const Theme& theme, const LatencyOverlay& overlay)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const double width = (slots.p1 - slots.p0) / (slots.v1 - slots.v0);
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(slots.v0)));
    const auto last =
        std::min(model.bars.size(), static_cast<std::size_t>(std::max(0.0, std::ceil(slots.v1))));
    const double labelWidth = fm.horizontalAdvance(QString::number(model.bars.size())) + 6;
    const bool names = width >= 8 * fm.averageCharWidth() + 8 && width >= kNamePixels &&
                       places.labels.height() > 2 * fm.height();
    std::size_t every = 1; // 1, 2, 5, 10, ...
    for (int i = 0; static_cast<double>(every) * width < labelWidth; ++i)
        every = i % 3 == 1 ? every / 2 * 5 : every * 2;
    double freeFrom = -1e18;
    for (std::size_t i = first; i < last; ++i) {
        if (i % every != 0)
            continue;
        const LatencyBar& bar = model.bars[i];
        const double centre = slots.toPixel(static_cast<double>(i) + 0.5);
        const double left = std::min(centre - labelWidth / 2, places.plot.right() - labelWidth);
        if (left < freeFrom)
            continue;
        freeFrom = left + labelWidth - 1;
        painter.setPen(overlay.current == bar.id ? theme.accent : theme.muted);
        painter.drawText(QRectF(left, places.labels.top(), labelWidth, fm.height()), Qt::AlignCenter,
                         QString::number(bar.id.index()));
        if (names)
            painter.drawText(
                QRectF(centre - width / 2, places.labels.top() + fm.height(), width, fm.height()),
                Qt::AlignCenter, fm.elidedText(bar.ops, Qt::ElideMiddle, width - 8));
    }
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
    const double width = std::max(1.0, std::floor(area.right() - 10 - left));
    const bool names =
        width / static_cast<double>(std::max<std::size_t>(1, model.bars.size())) >= kNamePixels;
    const double labels = (names ? 2 : 1) * fm.height() + 8;
    p.plot = QRectF(left, std::round(p.title.bottom() + fm.height() + 6), width, 0);
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
    const Detail detail = detailFor(width);

    painter.setFont(uiFont(1.0, QFont::DemiBold));
    const QFontMetricsF head(painter.font());
    painter.setPen(theme.text);
    const QString title = head.elidedText(model.title, Qt::ElideRight, places.title.width() - 16);
    painter.drawText(QPointF(places.title.left() + 8, places.title.top() + 5 + head.ascent()), title);
    const bool beside = legendBeside(model, places.title.width());
    const std::vector<LegendItem> legend = legendOf(model, detail, theme);
    paintLegend(
        painter, legend,
        {beside ? places.title.right() - legendWidth(legend) : places.title.left() + 8,
         beside ? places.title.top() + 5 + QFontMetricsF(uiFont(0.9)).ascent() : places.title.bottom() - 5},
        places.title.right(), theme);
    paintYAxis(painter, size, plot, tr("time"), theme);

    painter.save();
    painter.setClipRect(
        QRectF(plot.left(), plot.top() - 14, plot.width(), places.labels.bottom() - plot.top() + 14),
        Qt::IntersectClip);
    painter.setFont(uiFont(0.9));
    if (detail == Detail::Dense) {
        paintDense(painter, model, plot, slots, size, theme, overlay);
    } else {
        const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(slots.v0)));
        const auto last =
            std::min(model.bars.size(), static_cast<std::size_t>(std::max(0.0, std::ceil(slots.v1))));
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
            } else if (detail == Detail::Full) {
                paintDetailed(painter, bar, slot, size, model.options, theme, current);
            } else {
                painter.setRenderHint(QPainter::Antialiasing, false);
                painter.fillRect(QRectF(QPointF(slot.left(), size.toPixel(bar.latency)),
                                        QPointF(slot.right() - 1, size.toPixel(0))),
                                 current ? theme.accent : barColour(bar, model.options, theme));
                painter.setRenderHint(QPainter::Antialiasing, true);
            }
            paintGhost(painter, bar, slot, size, theme);
            if (bar.runs && detail == Detail::Full)
                paintValues(painter, bar, slot, size, theme);
        }
    }
    painter.restore();
    // The first number may stand a little to the left of its narrow bar.
    painter.save();
    painter.setClipRect(places.labels.adjusted(-24, 0, 10, 0), Qt::IntersectClip);
    paintLabels(painter, model, places, slots, theme, overlay);
    painter.restore();
    painter.setPen(theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

} // namespace tilewright::ui
