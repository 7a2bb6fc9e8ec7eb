// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/latency/latency_model.h"

#include "canvas/bound_mark.h"
#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kDetailPixels = 16; // minimum width in pixels of a bar that shows more than the latency
constexpr double kBarPixels = 3;     // minimum width in pixels of a bar; narrower bars are merged per pixel
constexpr double kNamePixels = 64;   // minimum width in pixels of a bar with the names of its ops below
// maximum width of a bar in pixels, so that a few bars do not fill the view
constexpr double kMostPixels = 150;
constexpr double kPale = 0.4;
constexpr std::size_t kWithReasons = 24; // maximum number of bars with a line for the reasons of the run
constexpr std::size_t kWithStrip = 60;   // minimum number of bars for which a strip shows the whole schedule

/// The level of detail of a bar.
enum class Detail { Full, Plain, Dense };

Detail detailFor(double width)
{
    return width >= kDetailPixels ? Detail::Full : width >= kBarPixels ? Detail::Plain : Detail::Dense;
}

/// Colour of an energy, given as a share of the highest energy.
QColor energyColour(double share, const Theme& theme)
{
    return theme.ramp(share);
}

QColor barColour(const LatencyBar& bar, const LatencyOptions& options, const Theme& theme)
{
    return options.colour == LatencyColour::Subgraph ? theme.category(bar.category)
           : options.colour == LatencyColour::Energy ? energyColour(bar.heat, theme)
                                                     : boundColour(bar.bound, theme);
}

/// Colour of the length of a subgraph in the run.
QColor runColour(const Theme& theme)
{
    return Theme::mix(theme.canvas, theme.text, theme.dark ? 0.55 : 0.45);
}

std::vector<ChartKey> legendOf(const LatencyModel& model, Detail detail, const Theme& theme)
{
    std::vector<ChartKey> out;
    const auto patch = [&](const QString& text, const QColor& colour) {
        out.push_back(patchKey(text, colour, theme));
    };
    if (detail == Detail::Full && model.options.colour == LatencyColour::Parts) {
        patch(tr("outline: latency"), Theme::mix(theme.canvas, theme.muted, 0.12));
        patch(tr("compute"), theme.computeTime);
        patch(tr("load"), theme.loadTime);
        patch(tr("store"), theme.storeTime);
    } else {
        if (model.options.colour == LatencyColour::Energy) {
            patch(model.hasEnergy ? tr("least energy") : tr("no energies stated"), energyColour(0, theme));
            if (model.hasEnergy)
                patch(tr("most energy"), energyColour(1, theme));
        } else if (model.options.colour != LatencyColour::Subgraph)
            for (const Bound b : {Bound::Compute, Bound::Memory, Bound::Balanced})
                patch(boundText(b), boundColour(b, theme));
        if (detail == Detail::Dense)
            patch(tr("pale: longest latency in a pixel, solid: mean"),
                  Theme::mix(theme.canvas, theme.balanced, kPale));
    }
    if (model.hasRun && detail == Detail::Full)
        patch(tr("in the run, from start-up to drain"), runColour(theme));
    else if (model.hasRun && detail == Detail::Plain)
        patch(tr("in the run"), runColour(theme));
    if (model.hasBaseline)
        out.push_back(lineKey(tr("baseline"), QPen(theme.text, 1.4, Qt::DashLine)));
    return out;
}

/// Width of the bar for the run, at the right of a wide slot.
double runWidth(const QRectF& slot)
{
    return std::clamp(std::round(slot.width() * 0.22), 4.0, 26.0);
}

/// Paints the subgraph's length in the run beside its latency: start-up at the bottom, drain at the top.
void paintRun(QPainter& painter, const RunDifference& run, const QRectF& slot, const Axis& size,
              const Theme& theme)
{
    const double inset = std::clamp(slot.width() * 0.14, 2.0, 18.0);
    const double right = slot.right() - inset;
    const double left = right - runWidth(slot) + 2;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto piece = [&](double from, double to, const QColor& colour) {
        painter.fillRect(QRectF(QPointF(left, size.toPixel(to)), QPointF(right, size.toPixel(from))), colour);
    };
    piece(0, run.startUp, theme.loadTime);
    piece(run.startUp, run.length - run.drain, runColour(theme));
    piece(run.length - run.drain, run.length, theme.storeTime);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Paints the latency as an outline with compute time and memory time side by side. The one that fills the
/// outline is the limit.
void paintDetailed(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                   const LatencyOptions& options, const Theme& theme, bool current)
{
    const double base = size.toPixel(0);
    const double inset = std::clamp(slot.width() * 0.14, 2.0, 18.0);
    const double beside = bar.run ? runWidth(slot) : 0;
    const QRectF box(QPointF(slot.left() + inset, size.toPixel(bar.latency)),
                     QPointF(slot.right() - inset - beside, base));
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
    const double y = size.toPixel(*bar.ghost);
    const double left = slot.left() + 1;
    const double right = std::max(slot.right() - 1, left + 2);
    painter.setPen(QPen(theme.canvas, 3.5));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
    QPen pen(theme.text, 1.6);
    pen.setDashPattern({3, 2});
    painter.setPen(slot.width() > 10 ? pen : QPen(theme.text, 1.6));
    painter.drawLine(QPointF(left, y), QPointF(right, y));
}

/// Paints the latency above its bar, and the change against the baseline in percent above the ghost, which
/// shows the baseline's latency. A text without room is left out.
void paintValues(QPainter& painter, const LatencyBar& bar, const QRectF& slot, const Axis& size,
                 const Theme& theme)
{
    const QFontMetricsF fm(painter.font());
    const QString value = shortNumber(bar.latency);
    const double w = fm.horizontalAdvance(value);
    const double top = slot.top() - 14 + fm.height();
    double y = size.toPixel(bar.latency) - 5;
    const bool ghost = bar.change() != 0;
    const double ghostY = ghost ? size.toPixel(*bar.ghost) : 0;
    // If the ghost ends slightly above the bar it would cross the number, so the number is placed above the
    // ghost.
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
    const QString change = signedPercent(bar.latency / *bar.ghost - 1);
    const double changeWidth = fm.horizontalAdvance(change);
    const double at = ghostY - 5;
    // The change would be inside the bar or too close to the number, so only the tooltip shows it.
    if (changeWidth + 6 > slot.width() || at <= top || at > y - fm.height())
        return;
    painter.setPen(bar.change() < 0 ? theme.ok : theme.warning);
    painter.drawText(QPointF(slot.center().x() - changeWidth / 2, at), change);
}

/// Summary of the bars in one pixel column.
struct DenseColumn
{
    const LatencyBar* high = nullptr;
    double mean = 0;
    double before = 0; ///< longest latency in the baseline
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
        out.before = std::max(out.before, bar.change() != 0 ? *bar.ghost : 0);
    }
    return out;
}

/// Paints several bars per pixel: the longest one pale, their mean solid.
void paintDense(QPainter& painter, const LatencyModel& model, const LaneFrame& f, const Axis& size,
                const LatencyOverlay& overlay)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto n = static_cast<std::int64_t>(model.bars.size());
    const int bottom = qRound(size.toPixel(0));
    for (int x = 0; x < static_cast<int>(f.rect.width()); ++x) {
        const auto from =
            std::max<std::int64_t>(0, static_cast<std::int64_t>(f.time.toValue(f.rect.left() + x)));
        const auto to = std::min(
            n,
            std::max(from + 1, static_cast<std::int64_t>(std::ceil(f.time.toValue(f.rect.left() + x + 1)))));
        const DenseColumn c = denseColumn(model, from, to, overlay);
        if (!c.high)
            continue;
        const int left = static_cast<int>(f.rect.left()) + x;
        const auto bar = [&](double value, const QColor& colour) {
            const int top = qRound(size.toPixel(value));
            painter.fillRect(QRect(left, top, 1, std::max(1, bottom - top)), colour);
        };
        const QColor colour = c.marked ? f.theme.accent : barColour(*c.high, model.options, f.theme);
        bar(c.high->latency, c.marked ? colour : Theme::mix(f.theme.canvas, colour, kPale));
        bar(c.mean, colour);
        if (c.before > 0)
            painter.fillRect(QRect(left, qRound(size.toPixel(c.before)), 1, 1), f.theme.text);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Returns the range [first, last) of the visible bars.
std::pair<std::size_t, std::size_t> inSight(const LatencyModel& model, const Axis& slots)
{
    return {static_cast<std::size_t>(std::max(0.0, std::floor(slots.v0))),
            std::min(model.bars.size(), static_cast<std::size_t>(std::max(0.0, std::ceil(slots.v1))))};
}

double slotWidth(const Axis& slots)
{
    return (slots.p1 - slots.p0) / (slots.v1 - slots.v0);
}

Axis sizeAxis(const LatencyModel& model, const QRectF& plot)
{
    return {0, std::max(model.high, 1e-12) * 1.1, plot.bottom(), plot.top()};
}

void paintBars(QPainter& painter, const LatencyModel& model, const LaneFrame& f,
               const LatencyOverlay& overlay)
{
    const QRectF& plot = f.rect;
    const Axis size = sizeAxis(model, plot);
    paintYAxis(painter, size, plot, tr("time"), f.theme);
    painter.save();
    painter.setClipRect(plot.adjusted(0, -14, 0, 0), Qt::IntersectClip);
    painter.setFont(uiFont(0.9));
    const double width = slotWidth(f.time);
    const Detail detail = detailFor(width);
    if (detail == Detail::Dense)
        paintDense(painter, model, f, size, overlay);
    const auto [first, last] = inSight(model, f.time);
    for (std::size_t i = first; i < last && detail != Detail::Dense; ++i) {
        const LatencyBar& bar = model.bars[i];
        const double w = std::min(width, kMostPixels);
        const QRectF slot(f.time.toPixel(static_cast<double>(i) + 0.5) - w / 2, plot.top(), w, plot.height());
        const bool current = overlay.current == bar.id;
        if (overlay.selected.count(bar.id) || current || overlay.hover == bar.id)
            painter.fillRect(slot, current || overlay.selected.count(bar.id)
                                       ? f.theme.selection
                                       : Theme::mix(f.theme.canvas, f.theme.muted, 0.08));
        if (!bar.runs) {
            fillHatch(painter, QRectF(slot.left() + w * 0.2, plot.bottom() - 14, w * 0.6, 14), f.theme);
        } else if (detail == Detail::Full) {
            paintDetailed(painter, bar, slot, size, model.options, f.theme, current);
            if (bar.run)
                paintRun(painter, *bar.run, slot, size, f.theme);
        } else {
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.fillRect(QRectF(QPointF(slot.left(), size.toPixel(bar.latency)),
                                    QPointF(slot.right() - 1, size.toPixel(0))),
                             current ? f.theme.accent : barColour(bar, model.options, f.theme));
            if (bar.run) {
                const double y = size.toPixel(bar.run->length);
                painter.fillRect(
                    QRectF(QPointF(slot.center().x(), y), QPointF(slot.right() - 1, size.toPixel(0))),
                    runColour(f.theme));
            }
            painter.setRenderHint(QPainter::Antialiasing, true);
        }
        paintGhost(painter, bar, slot, size, f.theme);
        if (bar.runs && detail == Detail::Full)
            paintValues(painter, bar, slot, size, f.theme);
    }
    painter.restore();
    painter.setPen(f.theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

/// Text of the change in the run with its largest reason, if there is room: "−12.0 % overlap".
QString runReason(const LatencyBar& bar, const QFontMetricsF& fm, double width)
{
    const RunReason reason = reasonOf(*bar.run);
    if (reason == RunReason::None)
        return QStringLiteral("±0");
    const QString change = runChange(bar);
    const QString whole = QStringLiteral("%1 %2").arg(change, reasonText(reason));
    return fm.horizontalAdvance(whole) <= width    ? whole
           : fm.horizontalAdvance(change) <= width ? change
                                                   : QString();
}

/// Paints the numbers of the subgraphs below their bars, and the names of their ops below wide bars.
void paintNumbers(QPainter& painter, const LatencyModel& model, const LaneFrame& f,
                  const LatencyOverlay& overlay)
{
    painter.save();
    // The first number may extend to the left of its bar if the bar is narrow.
    painter.setClipRect(f.rect.adjusted(-24, 0, 10, 0), Qt::IntersectClip);
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const double width = slotWidth(f.time);
    const double labelWidth = fm.horizontalAdvance(QString::number(model.bars.size())) + 6;
    const bool names =
        width >= 8 * fm.averageCharWidth() + 8 && width >= kNamePixels && f.rect.height() > 2 * fm.height();
    const auto every = static_cast<std::size_t>(std::max(1.0, roundStep(labelWidth / width)));
    const auto [first, last] = inSight(model, f.time);
    double freeFrom = -1e18;
    for (std::size_t i = first; i < last; ++i) {
        if (i % every != 0)
            continue;
        const LatencyBar& bar = model.bars[i];
        const double centre = f.time.toPixel(static_cast<double>(i) + 0.5);
        const double left = std::min(centre - labelWidth / 2, f.rect.right() - labelWidth);
        if (left < freeFrom)
            continue;
        freeFrom = left + labelWidth - 1;
        painter.setPen(overlay.current == bar.id ? f.theme.accent : f.theme.muted);
        painter.drawText(QRectF(left, f.rect.top(), labelWidth, fm.height()), Qt::AlignCenter,
                         QString::number(bar.id.index()));
        if (names)
            painter.drawText(QRectF(centre - width / 2, f.rect.top() + fm.height(), width, fm.height()),
                             Qt::AlignCenter, latencyName(bar.names, fm, width - 8));
        if (names && bar.run && f.rect.height() > 3 * fm.height())
            painter.drawText(QRectF(centre - width / 2, f.rect.top() + 2 * fm.height(), width, fm.height()),
                             Qt::AlignCenter, runReason(bar, fm, width - 4));
    }
    painter.restore();
}

MarkRow subgraphs(const std::shared_ptr<const LatencyModel>& m)
{
    Marks marks;
    marks.count = m->bars.size();
    marks.start = [](std::size_t i) { return static_cast<double>(i); };
    marks.end = [](std::size_t i) { return static_cast<double>(i + 1); };
    marks.label = [m](std::size_t i) { return m->bars[i].ops; };
    marks.facts = [m](std::size_t i) {
        const LatencyBar& bar = m->bars[i];
        if (!bar.runs)
            return tr("subgraph %1 · cannot run").arg(QString::number(bar.id.index()));
        const QString text =
            tr("subgraph %1 · latency %2 (%3) · compute %4 · load %5 · store %6")
                .arg(QString::number(bar.id.index()), number(bar.latency), percent(bar.share),
                     number(bar.compute), number(bar.load), number(bar.store));
        return bar.run
                   ? tr("%1 · in the run %2 (%3 %4)")
                         .arg(text, number(bar.run->length), runChange(bar), reasonText(reasonOf(*bar.run)))
                   : text;
    };
    marks.tooltip = [m](std::size_t i) { return latencyTooltip(m->bars[i]); };
    marks.id = [m](std::size_t i) { return static_cast<std::uint32_t>(m->bars[i].id.index()); };
    return {{marks}};
}

} // namespace

LaneModel latencyLanes(const std::shared_ptr<const LatencyModel>& m,
                       const std::shared_ptr<const LatencyOverlay>& overlay)
{
    LaneModel out;
    out.hint = m->hint;
    if (!m->hint.isEmpty())
        return out;
    const QFontMetricsF fm(uiFont(0.9));
    const auto n = static_cast<double>(m->bars.size());
    out.title = m->title;
    // The position of the legend depends on its longest form, so that it does not jump while zooming.
    out.legends = [m](const Theme& theme) {
        std::vector<std::vector<ChartKey>> forms;
        for (const Detail detail : {Detail::Full, Detail::Plain, Detail::Dense})
            forms.push_back(legendOf(*m, detail, theme));
        return forms;
    };
    out.legendForm = [](const Axis& slots) { return static_cast<std::size_t>(detailFor(slotWidth(slots))); };
    out.total = std::max(1.0, n);
    out.shortest = 4;
    out.ticks = false;
    out.most = 1000; // no practical limit: the lanes fill the available height
    out.mostWidth = n * kMostPixels;
    out.labelWidth = fm.horizontalAdvance(QStringLiteral("999M")) + 14;
    out.lanes.push_back(headingLane()); // reserves room for the title of the axis
    Lane plot;
    plot.gap = 2;
    plot.rows = {subgraphs(m)};
    plot.paintsMarks = true;
    plot.paint = [m, overlay](QPainter& painter, const LaneFrame& f) { paintBars(painter, *m, f, *overlay); };
    Lane numbers = plot;
    numbers.fixed = true;
    const bool reasons = m->hasRun && m->bars.size() <= kWithReasons;
    numbers.height = (reasons ? 3 : 2) * fm.height() + 6;
    numbers.repeats = true;
    numbers.paint = [m, overlay](QPainter& painter, const LaneFrame& f) {
        paintNumbers(painter, *m, f, *overlay);
    };
    out.lanes.push_back(std::move(plot));
    out.lanes.push_back(std::move(numbers));
    if (m->bars.size() >= kWithStrip)
        out.overview = [m, overlay](QPainter& painter, const LaneFrame& f) {
            paintDense(painter, *m, f, sizeAxis(*m, f.rect), *overlay);
        };
    return out;
}

} // namespace tilewright::ui
