// SPDX-License-Identifier: GPL-3.0-or-later
// Plots of a sweep: the curves over one axis, and the front of two objectives.
#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/sweep/sweep_model.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kTall = 10; // minimum ratio of the largest to the smallest value for a logarithmic axis
// maximum number of values with a tick each; with more values the ticks are at round values
constexpr std::size_t kMostTicks = 24;
constexpr std::size_t kFewCurves = 8; // maximum number of curves that have colours of their own

QString metricName(const SweepModel& m)
{
    return sweepMetricTitle(word(m.metricName()));
}

/// Returns the column with lower bounds of the plotted metric, if there is one.
std::optional<std::size_t> boundColumn(const SweepModel& m)
{
    const auto names = sweep::metricsOf(m.plan());
    const std::string_view wanted = m.plan().lens == sweep::Lens::Language ? "floor_ms" : "lower_bound";
    const auto at = std::ranges::find(names, wanted);
    return m.metric() == 0 && at != names.end() && at != names.begin()
               ? std::optional(static_cast<std::size_t>(at - names.begin()))
               : std::nullopt;
}

void fitAxes(PlotModel& plot, double low, double high)
{
    if (low > 0 && high > kTall * low) {
        plot.y.scale = Scale::Log;
        plot.y.low = low / 1.3;
        plot.y.high = high * 1.3;
    } else {
        const double span = std::max(high - low, std::abs(high) * 0.02 + 1e-9);
        plot.y.low = std::max(low >= 0 ? 0.0 : low - span, low - 0.25 * span);
        plot.y.high = high + 0.2 * span;
    }
}

void fitAcross(PlotAxis& axis, double low, double high, bool logarithmic)
{
    if (logarithmic && low > 0) {
        const double room = high > low ? std::pow(high / low, 0.04) : 1.2;
        axis.scale = Scale::Log;
        axis.low = low / room;
        axis.high = high * room;
    } else {
        const double room = high > low ? 0.04 * (high - low) : 1;
        axis.low = low - room;
        axis.high = high + room;
    }
}

PlotAxis parameterAxis(const SweepModel& m, std::size_t axis)
{
    const SweepParameter& p = m.axes[axis];
    PlotAxis out;
    out.title = p.title;
    out.text = [p](double v) { return p.text(p.isFractional() ? v : std::round(v)); };
    for (qsizetype i = 0; i < p.words.size(); ++i)
        out.ticks.push_back(static_cast<double>(i));
    const auto& values = m.plan().axes[axis].values;
    if (values.size() <= kMostTicks && p.words.isEmpty())
        for (const sweep::AxisValue& v : values)
            out.ticks.push_back(v.number().value_or(0));
    return out;
}

PlotLine vertical(double x, const PlotModel& plot, const QPen& pen)
{
    return {{}, {{x, plot.y.low}, {x, plot.y.high}}, pen};
}

/// Adds a line through all values; it is interrupted at points without a value.
void addLine(PlotModel& plot, const QString& name, const std::vector<QPointF>& points, const QPen& pen)
{
    plot.lines.push_back({name, points, pen});
}

void addBeside(PlotModel& plot, const SweepModel& m, const Theme& theme)
{
    if (!m.beside || m.metric() != 0 || m.axes.size() != 1)
        return;
    const QPen pen(theme.computeBound, 2, Qt::DashLine);
    PlotMark mark;
    mark.shape = PlotShape::Square;
    mark.radius = 3.5;
    mark.pen = QPen(theme.computeBound, 1.5);
    mark.brush = theme.canvas;
    const QString name = m.besideIsOpen ? tr("open schedule") : tr("schedule at the start");
    std::vector<QPointF> line;
    bool any = false;
    for (std::size_t i = 0; i <= m.beside->rows.size(); ++i) {
        const bool has = i < m.beside->rows.size() && !m.beside->rows[i].metrics.empty();
        if (has) {
            mark.x = m.valueOf(i, 0);
            mark.y = m.beside->rows[i].metrics[0];
            plot.marks.push_back(mark);
            line.emplace_back(mark.x, mark.y);
            any = true;
        } else if (!line.empty()) { // the line ends where the schedule is not valid
            addLine(plot, name, std::exchange(line, {}), pen);
        }
    }
    if (any)
        plot.keys.push_back(lineKey(name, pen, mark));
}

void addBound(PlotModel& plot, const SweepModel& m, const SweepCurve& curve, const Theme& theme)
{
    const auto bound = boundColumn(m);
    if (!bound)
        return;
    const QPen pen(theme.muted, 1.5, Qt::DotLine);
    std::vector<QPointF> line;
    for (const sweep::CurvePoint& p : curve.points)
        if (const double value = m.table.rows[p.row].metrics[*bound]; value > 0)
            line.emplace_back(p.at, value);
    if (line.empty())
        return;
    addLine(plot, tr("lower bound"), line, pen);
    plot.keys.push_back(lineKey(tr("lower bound"), pen));
}

/// Adds a curve. Points whose weights and cache do not fit into memory are hollow.
void addCurve(PlotModel& plot, const SweepModel& m, const SweepCurve& curve, const QColor& colour,
              const Theme& theme)
{
    std::vector<QPointF> line;
    PlotMark mark;
    mark.pen = QPen(colour, 1.5);
    for (const sweep::CurvePoint& p : curve.points) {
        const bool fits = sweep::fitsMemory(m.plan(), m.table.rows[p.row].metrics);
        mark.brush = fits ? colour : theme.canvas;
        mark.pen.setColor(fits ? colour : theme.error);
        mark.x = p.at;
        mark.y = p.value;
        mark.id = static_cast<int>(p.row);
        plot.marks.push_back(mark);
        line.emplace_back(p.at, p.value);
    }
    const QString name = curve.second ? m.axes[1].text(*curve.second) : metricName(m);
    addLine(plot, name, line, QPen(colour, 2));
}

/// Adds the failed points on the x axis: they have a message, but no value.
void addFailed(PlotModel& plot, const SweepModel& m, const Theme& theme)
{
    PlotMark mark;
    mark.shape = PlotShape::TriangleDown;
    mark.radius = 5;
    mark.pen = QPen(theme.error, 1.5);
    mark.brush = theme.error;
    bool any = false;
    for (std::size_t i = 0; i < m.table.rows.size(); ++i)
        if (m.table.rows[i].metrics.empty() && m.table.rows[i].state == sweep::RowState::Failed) {
            mark.x = m.valueOf(i, 0);
            mark.y = plot.y.low;
            mark.id = static_cast<int>(i);
            plot.marks.push_back(mark);
            any = true;
        }
    if (any)
        plot.keys.push_back(markKey(tr("failed"), mark));
}

/// Adds marks for the sufficient value, for the knee, and for points from which the schedule has a new form.
void addAnswers(PlotModel& plot, const SweepModel& m, const SweepCurve& curve, const Theme& theme)
{
    const auto& points = curve.points;
    const auto costs = sweep::costsOf(points, m.metricName());
    const sweep::CurvePoint& enough = points[*sweep::smallestWithin(costs, m.setup.within / 100.0)];
    plot.lines.push_back(vertical(enough.at, plot, QPen(theme.ok, 1.5, Qt::DashLine)));
    PlotMark target;
    target.shape = PlotShape::Target;
    target.radius = 9;
    target.x = enough.at;
    target.y = enough.value;
    target.pen = QPen(theme.ok, 2);
    plot.marks.push_back(target);
    const QString value = m.axes[0].text(enough.at);
    plot.labels.push_back({{tr("within %1 %: %2").arg(m.setup.within).arg(value), value},
                           {enough.at, enough.value},
                           {enough.at, enough.value},
                           theme.text,
                           false,
                           true,
                           10});
    if (const auto knee = sweep::kneeOf(costs, m.setup.axes[0].isLogarithmic)) {
        PlotMark mark;
        mark.shape = PlotShape::Diamond;
        mark.radius = 7;
        mark.x = points[*knee].at;
        mark.y = points[*knee].value;
        mark.pen = QPen(theme.warning, 2);
        plot.marks.push_back(mark);
        plot.keys.push_back(markKey(tr("knee of the curve"), mark));
    }
    PlotMark ring;
    ring.radius = 7;
    ring.pen = QPen(theme.accent, 1.2);
    for (const SweepChange& change : m.changes) {
        const auto at = std::ranges::find(points, change.row, &sweep::CurvePoint::row);
        if (at == points.end())
            continue;
        ring.x = at->at;
        ring.y = at->value;
        plot.marks.push_back(ring);
        plot.labels.push_back({{change.text, change.brief},
                               {at->at, at->value},
                               {at->at, at->value},
                               theme.muted,
                               false,
                               false,
                               8});
    }
    if (!m.changes.empty())
        plot.keys.push_back(markKey(tr("something becomes possible"), ring));
}

/// Adds the line of the limit that machines must meet.
void addLimit(PlotModel& plot, const SweepModel& m, const Theme& theme)
{
    if (m.setup.limit <= 0)
        return;
    const QPen pen(theme.ok, 1.5, Qt::DashLine);
    addLine(plot, tr("limit"), {{plot.x.low, m.setup.limit}, {plot.x.high, m.setup.limit}}, pen);
    plot.keys.push_back(lineKey(tr("limit"), pen));
}

PlotModel curvePlot(const SweepModel& m, const Theme& theme)
{
    PlotModel plot;
    plot.pick = m.axes.size() == 1 ? PlotPick::Column : PlotPick::Point;
    plot.clickOnMark = true; // true, because a click on a point opens another model or machine
    plot.title = sweepAnswer(m);
    plot.x = parameterAxis(m, 0);
    plot.y.title = metricName(m) + (m.unit.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(m.unit));
    const SweepAxis& axis = m.setup.axes[0];
    fitAcross(plot.x, std::min(axis.from, axis.to), std::max(axis.from, axis.to), axis.isLogarithmic);
    plot.x.current = m.axes[0].now;
    const std::vector<SweepCurve> curves = m.curves();
    double low = 1e300, high = -1e300;
    const auto cover = [&](double v) {
        low = std::min(low, v);
        high = std::max(high, v);
    };
    if (m.setup.limit > 0 && !m.axes[0].words.isEmpty())
        cover(m.setup.limit);
    const auto bound = boundColumn(m);
    for (const SweepCurve& c : curves)
        for (const sweep::CurvePoint& p : c.points) {
            cover(p.value);
            if (bound && curves.size() == 1 && m.table.rows[p.row].metrics[*bound] > 0)
                cover(m.table.rows[p.row].metrics[*bound]);
        }
    if (m.beside && m.metric() == 0 && m.axes.size() == 1)
        for (const sweep::Row& row : m.beside->rows)
            if (!row.metrics.empty())
                cover(row.metrics[0]);
    if (high < low)
        low = 0, high = 1;
    fitAxes(plot, low, high);
    addBeside(plot, m, theme);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const QColor colour =
            curves.size() == 1 ? theme.accent
            : curves.size() <= kFewCurves
                ? theme.categoryBorder(i)
                : theme.ramp(static_cast<double>(i) / static_cast<double>(curves.size() - 1));
        if (curves.size() == 1)
            addBound(plot, m, curves[i], theme);
        addCurve(plot, m, curves[i], colour, theme);
        PlotMark mark;
        mark.pen = QPen(colour, 1.5);
        mark.brush = colour;
        if (curves.size() <= kFewCurves)
            plot.keys.push_back(lineKey(curves[i].second ? m.axes[1].title + QLatin1Char(' ') +
                                                               m.axes[1].text(*curves[i].second)
                                                         : metricName(m),
                                        QPen(colour, 2), mark));
    }
    if (const std::vector<SweepCurve> fitting = m.fittingCurves();
        curves.size() == 1 && m.axes[0].words.isEmpty() && !fitting.empty())
        addAnswers(plot, m, fitting.front(), theme);
    else if (curves.size() == 1)
        addLimit(plot, m, theme);
    if (std::ranges::any_of(m.table.rows, [&m](const sweep::Row& row) {
            return !sweep::fitsMemory(m.plan(), row.metrics);
        })) {
        PlotMark hollow;
        hollow.pen = QPen(theme.error, 1.5);
        hollow.brush = theme.canvas;
        plot.keys.push_back(markKey(tr("does not fit into memory"), hollow));
    }
    addFailed(plot, m, theme);
    return plot;
}

PlotModel frontPlot(const SweepModel& m, const Theme& theme)
{
    PlotModel plot;
    const auto names = sweep::metricsOf(m.plan());
    const std::string against = m.setup.against.toStdString();
    const auto metric = std::ranges::find(names, against);
    const auto axis = std::ranges::find(m.axes, m.setup.against, &SweepParameter::path);
    const std::size_t a = axis == m.axes.end() ? 0 : static_cast<std::size_t>(axis - m.axes.begin());
    const auto across = [&](std::size_t row) {
        return metric == names.end()
                   ? m.valueOf(row, a)
                   : m.table.rows[row].metrics[static_cast<std::size_t>(metric - names.begin())];
    };
    PlotMark mark;
    std::vector<QPointF> front;
    double low = 1e300, high = -1e300, left = 1e300, right = -1e300;
    for (const bool onFront : {false, true})
        for (std::size_t i = 0; i < m.table.rows.size(); ++i) {
            const sweep::Row& row = m.table.rows[i];
            if (row.metrics.empty() || row.onFront != onFront)
                continue;
            mark.x = across(i);
            mark.y = row.metrics[m.metric()];
            mark.id = static_cast<int>(i);
            mark.radius = onFront ? 5 : 3;
            mark.pen = QPen(onFront ? theme.accent : theme.muted, 1.2);
            mark.brush = onFront ? QBrush(theme.accent) : QBrush(Qt::NoBrush);
            plot.marks.push_back(mark);
            if (onFront)
                front.emplace_back(mark.x, mark.y);
            left = std::min(left, mark.x);
            right = std::max(right, mark.x);
            low = std::min(low, mark.y);
            high = std::max(high, mark.y);
        }
    if (right < left)
        return plot;
    std::ranges::sort(front, {}, &QPointF::x);
    plot.title = tr("%1 of %2 are on the front")
                     .arg(front.size())
                     .arg(counted(static_cast<std::int64_t>(plot.marks.size()), tr("point"), tr("points")));
    if (metric == names.end())
        plot.x = parameterAxis(m, a);
    else
        plot.x.title = sweepMetricTitle(m.setup.against);
    fitAcross(plot.x, left, right, left > 0 && right > kTall * left);
    plot.y.title = metricName(m);
    fitAxes(plot, low, high);
    PlotLine line{tr("front"), front, QPen(theme.accent, 1.5)};
    line.steps = true;
    plot.keys.push_back(lineKey(tr("front: no point is as good in both and better in one"), line.pen, mark));
    plot.lines.push_back(std::move(line));
    return plot;
}

} // namespace

std::vector<PlotModel> sweepPlots(const SweepModel& m, const Theme& theme)
{
    if (m.setup.picture == SweepPicture::Curve)
        return {curvePlot(m, theme)};
    if (m.setup.picture == SweepPicture::Front)
        return {frontPlot(m, theme)};
    return {};
}

} // namespace tilewright::ui
