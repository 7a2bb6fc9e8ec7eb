// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/plot_model.h"

#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/text_row.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kNear = 10;       // maximum distance in pixels at which a mark is picked
constexpr double kSmallest = 1e-3; // smallest visible part, as a fraction of the whole range
/// Extent of a part along one axis.
struct Stretch
{
    double from, to;
};

Stretch reach(const PlotAxis& axis)
{
    return {axis.scaled(axis.farLow()), axis.scaled(axis.farHigh())};
}

Stretch inReach(const PlotAxis& axis, Stretch s)
{
    const Stretch all{axis.scaled(axis.low), axis.scaled(axis.high)};
    const Stretch far = reach(axis);
    const double span = std::clamp(s.to - s.from, (all.to - all.from) * kSmallest, far.to - far.from);
    // At least the border of the data range stays visible.
    const double least = std::max(far.from, all.from - (axis.beyond > 0 ? span : 0));
    const double most = std::min(far.to - span, axis.beyond > 0 ? all.to : all.to - span);
    const double from = std::clamp(s.from, least, std::max(least, most));
    return {from, from + span};
}

Stretch zoomed(const PlotAxis& axis, const Axis& shown, double factor, double pixel)
{
    const double from = axis.scaled(shown.v0);
    const double to = axis.scaled(shown.v1);
    const double at = std::clamp((pixel - shown.p0) / (shown.p1 - shown.p0), 0.0, 1.0);
    const Stretch all = reach(axis);
    const double least = (axis.scaled(axis.high) - axis.scaled(axis.low)) * kSmallest;
    const double span = std::clamp((to - from) / factor, least, all.to - all.from);
    const double start = from + at * (to - from - span);
    return inReach(axis, {start, start + span});
}

QRectF partOf(Stretch x, Stretch y)
{
    return {QPointF(x.from, y.from), QPointF(x.to, y.to)};
}

} // namespace

QString PlotAxis::textOf(double value) const
{
    return text ? text(value) : shortNumber(value);
}

const PlotMark* PlotModel::mark(int id) const
{
    const auto it = std::find_if(marks.begin(), marks.end(), [id](const PlotMark& m) { return m.id == id; });
    return it == marks.end() ? nullptr : &*it;
}

void PlotModel::cover(double px, double py)
{
    x.low = std::min(x.low, px);
    x.high = std::max(x.high, px);
    y.low = std::min(y.low, py);
    y.high = std::max(y.high, py);
}

PlotFrame plotFrame(const PlotModel& model, const QRectF& area, const QRectF& part)
{
    PlotFrame f;
    const TextMetrics axis(uiFont(0.9));
    const double left = std::ceil(axis.horizontalAdvance(model.y.widest) + 14);
    double top = area.top() + 4;
    if (!model.title.isEmpty()) {
        const double height = TextMetrics(uiFont(1.0, QFont::DemiBold)).height();
        f.title = QRectF(area.left() + 8, top, area.width() - 16, height);
        top += height + 4;
    }
    // The legend is beside the title of the y axis, or in a separate row if that is too long.
    const double title = model.y.title.isEmpty() ? 0 : axis.horizontalAdvance(model.y.title) + 18;
    if (!model.keys.empty()) {
        const double height = std::ceil(axis.height());
        const double room = area.width() - left - title - 8;
        if (keysWidth(model.keys) <= room) {
            f.keys = QRectF(area.left() + left + title, top, room, height);
        } else {
            f.keys = QRectF(area.left() + 8, top, area.width() - 16, height);
            top += height + 2;
        }
    }
    f.yTitle = {area.left() + left, top + axis.ascent()};
    if (title > 0 || !model.keys.empty())
        top += axis.height() + 5;
    const double right = area.right() - 14;
    // The title of the x axis is at the end of the row of tick texts, or below it if there is too little room
    // or a required tick is there.
    const double xTitle = axis.horizontalAdvance(model.x.title);
    constexpr double kLow = 200; // below this height in pixels the plot saves rows
    const bool below =
        xTitle > 0.15 * (right - area.left() - left) || (!model.x.ticks.empty() && area.height() > kLow);
    const double bottom = area.bottom() - axis.height() * (below ? 2 : 1) - (below ? 12 : 9);
    f.plot = QRectF(QPointF(area.left() + left, std::round(top)), QPointF(right, std::round(bottom)));
    f.xTitle = QPointF(right - xTitle, f.plot.bottom() + axis.height() * (below ? 1 : 0) + axis.ascent() + 5);
    f.xTextsEnd = below || model.x.title.isEmpty() ? right + 14 : f.xTitle.x() - 10;
    const auto end = [&](const PlotAxis& a, double from, double to, double p0, double p1) {
        return part.isNull() ? Axis{a.low, a.high, p0, p1, a.scale}
                             : Axis{a.unscaled(from), a.unscaled(to), p0, p1, a.scale};
    };
    f.x = end(model.x, part.left(), part.right(), f.plot.left(), f.plot.right());
    f.y = end(model.y, part.top(), part.bottom(), f.plot.bottom(), f.plot.top());
    return f;
}

QRectF plotPart(const PlotFrame& f)
{
    const auto scaled = [](const Axis& axis, double v) {
        return axis.scale == Scale::Log ? std::log10(v) : v;
    };
    return {QPointF(scaled(f.x, f.x.v0), scaled(f.y, f.y.v0)),
            QPointF(scaled(f.x, f.x.v1), scaled(f.y, f.y.v1))};
}

QRectF plotPartInReach(const PlotModel& model, const QRectF& part)
{
    return partOf(inReach(model.x, {part.left(), part.right()}),
                  inReach(model.y, {part.top(), part.bottom()}));
}

QRectF zoomedPlotPart(const PlotModel& model, const PlotFrame& frame, double factor, QPointF at)
{
    return partOf(zoomed(model.x, frame.x, factor, at.x()), zoomed(model.y, frame.y, factor, at.y()));
}

QRectF pannedPlotPart(const PlotModel& model, const PlotFrame& frame, QPointF pixels)
{
    QRectF part = plotPart(frame);
    part.translate(-pixels.x() / frame.plot.width() * part.width(),
                   pixels.y() / frame.plot.height() * part.height());
    return plotPartInReach(model, part);
}

const PlotMark* plotMarkAt(const PlotModel& model, const PlotFrame& frame, QPointF position)
{
    const bool column = model.pick == PlotPick::Column;
    const double around = column ? 8 : 0; // the column includes the tick texts below it
    if (!frame.plot.adjusted(-around, -around, around, 3 * around).contains(position))
        return nullptr;
    const PlotMark* found = nullptr;
    double nearest = 1e300;
    for (const PlotMark& m : model.marks) {
        if (m.id < 0)
            continue;
        const QPointF away = frame.toPixel(m.x, m.y) - position;
        const double distance = column ? std::abs(away.x()) : std::hypot(away.x(), away.y());
        if (distance <= nearest && (column || distance <= std::max(kNear, m.radius))) {
            nearest = distance;
            found = &m;
        }
    }
    return found;
}

QString plotRangeText(const PlotAxis& axis, double from, double to)
{
    const bool log = axis.scale == Scale::Log;
    return tr("%1 to %2 (%3)")
        .arg(axis.textOf(from), axis.textOf(to),
             log ? significantNumber(to / from) + QChar(0xD7) : axis.textOf(to - from));
}

QString plotAsText(const PlotModel& model)
{
    QString out = QStringLiteral("series\t%1\t%2\n").arg(model.x.title, model.y.title);
    const auto row = [&](const QString& name, double px, double py) { out += textRow(name, px, py); };
    for (const PlotLine& line : model.lines)
        for (const QPointF& p : line.points)
            if (!line.name.isEmpty())
                row(line.name, p.x(), p.y());
    for (const PlotMark& mark : model.marks)
        if (!mark.name.isEmpty())
            row(mark.name, mark.x, mark.y);
    return out;
}

} // namespace tilewright::ui
