// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_curve.h"

#include "canvas/axis.h"
#include "canvas/view.h"
#include "theme/number.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr double kFirstSecond = 1e-3;

double logTime(double seconds)
{
    return std::log10(std::max(seconds, kFirstSecond));
}
} // namespace

void paintSolverCurve(QPainter& painter, const QRectF& area, const SolverCurve& curve, const Theme& theme)
{
    if (curve.points.empty()) {
        paintEmptyHint(
            painter, area,
            QCoreApplication::translate("SolverCurve",
                                        "Start the solver to watch the best latency fall towards the bound."),
            theme);
        return;
    }
    const QFontMetricsF fm(uiFont(0.9));
    const QRectF plot = area.adjusted(fm.horizontalAdvance(QStringLiteral("8.88M")) + 14, fm.height() + 12,
                                      -14, -fm.height() - 10);
    if (plot.width() < 40 || plot.height() < 30)
        return;
    double low = curve.points.back().second;
    double high = std::max(curve.points.front().second, curve.before);
    // The bound is shown when it does not squeeze the curve into a line.
    const bool boundInView = curve.lowerBound > 0 && curve.lowerBound > low - 3 * (high - low) - 0.15 * low;
    if (boundInView)
        low = std::min(low, curve.lowerBound);
    const double margin = std::max((high - low) * 0.08, high * 0.002);
    const Axis y{low - margin, high + margin, plot.bottom(), plot.top()};
    const double end = std::max({curve.seconds, curve.budget, curve.points.back().first, 10 * kFirstSecond});
    const double x0 = logTime(kFirstSecond);
    const double x1 = logTime(end);
    const auto xOf = [&](double seconds) {
        return plot.left() + (logTime(seconds) - x0) / (x1 - x0) * plot.width();
    };

    paintYAxis(painter, y, plot, QCoreApplication::translate("SolverCurve", "best latency"), theme);
    painter.setFont(uiFont(0.9));
    for (const auto& [seconds, label] : std::array<std::pair<double, const char*>, 7>{{{1e-3, "1 ms"},
                                                                                       {1e-2, "10 ms"},
                                                                                       {0.1, "0.1 s"},
                                                                                       {1, "1 s"},
                                                                                       {10, "10 s"},
                                                                                       {100, "100 s"},
                                                                                       {1000, "1000 s"}}}) {
        if (seconds > end * 1.001)
            break;
        const double x = xOf(seconds);
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        painter.setPen(theme.muted);
        const QString text = QLatin1String(label);
        const double w = fm.horizontalAdvance(text);
        painter.drawText(QPointF(std::clamp(x - w / 2, plot.left(), std::max(plot.left(), plot.right() - w)),
                                 plot.bottom() + fm.ascent() + 4),
                         text);
    }
    const auto level = [&](double value, const QColor& colour, Qt::PenStyle style, const QString& label,
                           bool above) {
        const double py = y.toPixel(value);
        painter.setPen(QPen(colour, 1.5, style));
        painter.drawLine(QPointF(plot.left(), py), QPointF(plot.right(), py));
        painter.drawText(
            QPointF(plot.right() - fm.horizontalAdvance(label) - 4, above ? py - 4 : py + fm.ascent() + 2),
            label);
    };
    if (boundInView)
        level(curve.lowerBound, theme.ok, Qt::DashLine,
              QCoreApplication::translate("SolverCurve", "lower bound %1").arg(number(curve.lowerBound)),
              true);
    if (curve.before > 0)
        level(curve.before, theme.muted, Qt::DotLine,
              QCoreApplication::translate("SolverCurve", "before %1").arg(number(curve.before)), false);

    QPainterPath path(QPointF(xOf(curve.points.front().first), y.toPixel(curve.points.front().second)));
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        const double x = xOf(curve.points[i].first);
        path.lineTo(x, y.toPixel(curve.points[i - 1].second));
        path.lineTo(x, y.toPixel(curve.points[i].second));
    }
    const QPointF last(xOf(std::max(curve.seconds, curve.points.back().first)),
                       y.toPixel(curve.points.back().second));
    path.lineTo(last);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawPath(path);
    painter.setBrush(theme.accent);
    painter.drawEllipse(last, 3.5, 3.5);
}

} // namespace tilewright::ui
