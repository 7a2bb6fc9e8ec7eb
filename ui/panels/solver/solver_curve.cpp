// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_curve.h"

#include "theme/number.h"
#include "theme/words.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr double kFirstSecond = 1e-3;

double shownTime(double seconds)
{
    return std::max(seconds, kFirstSecond);
}

} // namespace

PlotModel solverPlot(const SolverCurve& curve, const Theme& theme)
{
    const double best = curve.points.back().second;
    double low = best;
    double high = std::max(curve.points.front().second, curve.before);
    // The lower bound is shown unless it would squeeze the curve into a line.
    const bool boundInView = curve.lowerBound > 0 && curve.lowerBound > low - 3 * (high - low) - 0.15 * low;
    if (boundInView)
        low = std::min(low, curve.lowerBound);
    const double margin = std::max((high - low) * 0.08, high * 0.002);
    const double end = std::max({curve.seconds, curve.budget, curve.points.back().first, 10 * kFirstSecond});

    PlotModel p;
    p.pick = PlotPick::Column;
    p.x = {tr("time, log"), Scale::Log, kFirstSecond, end, 0, secondsText};
    p.y = {tr("best latency"), Scale::Linear, low - margin, high + margin};
    const auto level = [&](const QString& text, double value, const QColor& colour, Qt::PenStyle style) {
        p.lines.push_back({{}, {{kFirstSecond, value}, {end, value}}, QPen(colour, 1.5, style)});
        p.labels.push_back({{text.arg(number(value)), number(value), shortNumber(value)},
                            {kFirstSecond, value},
                            {end, value},
                            colour});
    };
    // Labels that come first win their place: the one of the best latency must be readable.
    const QPointF last(shownTime(std::max(curve.seconds, curve.points.back().first)), best);
    p.labels.push_back({{number(best), shortNumber(best)}, last, last, theme.accent});
    if (boundInView)
        level(tr("lower bound %1"), curve.lowerBound, theme.ok, Qt::DashLine);
    if (curve.before > 0)
        level(tr("before %1"), curve.before, theme.muted, Qt::DotLine);

    PlotLine line{tr("best latency"), {}, QPen(theme.accent, 2), true};
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        PlotMark m; // an invisible mark for tooltips
        m.x = shownTime(curve.points[i].first);
        m.y = curve.points[i].second;
        m.id = static_cast<int>(i);
        m.radius = 0;
        p.marks.push_back(m);
        line.points.emplace_back(m.x, m.y);
    }
    line.points.push_back(last);
    p.lines.push_back(std::move(line));
    PlotMark now{last.x(), last.y()};
    now.radius = 3.5;
    now.brush = theme.accent;
    p.marks.push_back(now);
    return p;
}

SolverCurveView::SolverCurveView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("solver-curve"), tr("Best latency over time"), parent)
{
}

void SolverCurveView::setCurve(SolverCurve curve)
{
    m_curve = std::move(curve);
    outdatePlots();
}

QSize SolverCurveView::sizeHint() const
{
    return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 8};
}

QSize SolverCurveView::minimumSizeHint() const
{
    return {0, fontMetrics().height() * 6};
}

std::vector<PlotModel> SolverCurveView::buildPlots(const Theme& theme) const
{
    return {solverPlot(m_curve, theme)};
}

QString SolverCurveView::hint() const
{
    if (!m_curve.points.empty())
        return {};
    return m_curve.budget > 0 ? tr("Searching for a first schedule …")
                              : tr("Start the solver to see the best latency fall towards the lower bound.");
}

QString SolverCurveView::markTooltip(const PlotMark& mark) const
{
    const auto& [seconds, latency] = m_curve.points[static_cast<std::size_t>(mark.id)];
    return tr("<b>%1</b><br>found after %2").arg(number(latency), secondsText(seconds));
}

} // namespace tilewright::ui
