// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_curve.h"

#include "chart/axis.h"
#include "canvas/view.h"
#include "theme/number.h"
#include "theme/words.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace tilewright::ui {

namespace {

constexpr double kFirstSecond = 1e-3;

double logTime(double seconds)
{
    return std::log10(std::max(seconds, kFirstSecond));
}

/// Labels of levels: each takes the first place that no other one has.
class Labels
{
public:
    Labels(QPainter& painter, const QRectF& plot, const Theme& theme)
        : m_painter(painter), m_plot(plot), m_theme(theme), m_fm(painter.font())
    {
    }

    /// The first text and place that fit; `lefts` gives the places for a text of a width.
    void put(const QStringList& texts, const QColor& colour, double y,
             const std::function<std::vector<double>(double)>& lefts)
    {
        for (const QString& text : texts) {
            const double w = m_fm.horizontalAdvance(text);
            if (w > m_plot.width() - 6)
                continue;
            for (const double left : lefts(w))
                for (const double top : {y - m_fm.height() - 4, y + 3}) {
                    const QRectF box(std::clamp(left, m_plot.left() + 3, m_plot.right() - w - 3), top, w,
                                     m_fm.height());
                    const bool free = std::none_of(m_taken.begin(), m_taken.end(), [&](const QRectF& other) {
                        return other.intersects(box);
                    });
                    if (!free || box.top() < m_plot.top() || box.bottom() > m_plot.bottom())
                        continue;
                    QColor ground = m_theme.canvas;
                    ground.setAlphaF(0.8F); // lines behind do not make it unreadable
                    m_painter.fillRect(box, ground);
                    m_painter.setPen(colour);
                    m_painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
                    m_taken.push_back(box);
                    return;
                }
        }
    }

private:
    QPainter& m_painter;
    QRectF m_plot;
    const Theme& m_theme;
    QFontMetricsF m_fm;
    std::vector<QRectF> m_taken;
};

void paintTimeAxis(QPainter& painter, const QRectF& plot, double end,
                   const std::function<double(double)>& xOf, const Theme& theme)
{
    const QFontMetricsF fm(painter.font());
    const QString title = tr("time, log");
    const double titleLeft = plot.right() - fm.horizontalAdvance(title);
    double lastRight = -1e9;
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
        const QString text = QLatin1String(label);
        const double w = fm.horizontalAdvance(text);
        const double left = std::max(x - w / 2, plot.left());
        if (left < lastRight + 8 || left + w > titleLeft - 8)
            continue;
        lastRight = left + w;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(left, plot.bottom() + fm.ascent() + 4), text);
    }
    painter.setPen(theme.muted);
    painter.drawText(QPointF(titleLeft, plot.bottom() + fm.ascent() + 4), title);
    painter.setPen(theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

} // namespace

void paintSolverCurve(QPainter& painter, const QRectF& area, const SolverCurve& curve, const Theme& theme)
{
    if (curve.points.empty()) {
        paintEmptyHint(painter, area,
                       curve.budget > 0
                           ? tr("Looking for a first schedule …")
                           : tr("Start the solver to watch the best latency fall towards the bound."),
                       theme);
        return;
    }
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const QRectF plot = area.adjusted(fm.horizontalAdvance(QStringLiteral("8.88M")) + 14, fm.height() + 12,
                                      -14, -fm.height() - 10);
    if (plot.width() < 40 || plot.height() < 30)
        return;
    const double best = curve.points.back().second;
    double low = best;
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

    paintYAxis(painter, y, plot, tr("best latency"), theme);
    painter.setFont(uiFont(0.9));
    paintTimeAxis(painter, plot, end, xOf, theme);

    QPainterPath path(QPointF(xOf(curve.points.front().first), y.toPixel(curve.points.front().second)));
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        const double x = xOf(curve.points[i].first);
        path.lineTo(x, y.toPixel(curve.points[i - 1].second));
        path.lineTo(x, y.toPixel(curve.points[i].second));
    }
    const QPointF last(xOf(std::max(curve.seconds, curve.points.back().first)), y.toPixel(best));
    path.lineTo(last);
    const auto level = [&](double value, const QColor& colour, Qt::PenStyle style) {
        painter.setPen(QPen(colour, 1.5, style));
        painter.drawLine(QPointF(plot.left(), y.toPixel(value)), QPointF(plot.right(), y.toPixel(value)));
    };
    if (boundInView)
        level(curve.lowerBound, theme.ok, Qt::DashLine);
    if (curve.before > 0)
        level(curve.before, theme.muted, Qt::DotLine);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawPath(path);
    painter.setBrush(theme.accent);
    painter.drawEllipse(last, 3.5, 3.5);

    // The best first: it must be readable wherever the others are.
    Labels labels(painter, plot, theme);
    labels.put({number(best), shortNumber(best)}, theme.accent, y.toPixel(best), [&](double w) {
        return std::vector{last.x() - w - 6, last.x() + 6, plot.left()};
    });
    const auto levelText = [&](const QString& text, const QColor& colour, double value) {
        labels.put({text.arg(number(value)), number(value), shortNumber(value)}, colour, y.toPixel(value),
                   [&](double w) {
                       return std::vector{plot.right() - w, plot.left()};
                   });
    };
    if (boundInView)
        levelText(tr("lower bound %1"), theme.ok, curve.lowerBound);
    if (curve.before > 0)
        levelText(tr("before %1"), theme.muted, curve.before);
}

} // namespace tilewright::ui
