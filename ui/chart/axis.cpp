// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/axis.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>

namespace tilewright::ui {

double roundStep(double least)
{
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double m : {1.0, 2.0, 5.0})
        if (power * m >= least)
            return power * m;
    return power * 10;
}

namespace {

std::vector<double> linearTicks(double low, double high, double pixels, double pixelsApart)
{
    std::vector<double> out;
    if (!(high > low) || pixels < 1)
        return out;
    const double step = roundStep((high - low) * pixelsApart / pixels);
    for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
        out.push_back(i * step);
    return out;
}

} // namespace

std::vector<double> logTicks(double low, double high, double pixels, double pixelsApart)
{
    std::vector<double> out;
    if (!(low > 0) || !(high > low) || pixels < 1)
        return out;
    const double perDecade = pixels / std::log10(high / low);
    const auto fits = [&](double ratio) { return perDecade * std::log10(ratio) > pixelsApart; };
    std::vector<double> steps{1};
    if (fits(10.0 / 9))
        steps = {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9};
    else if (fits(5.0 / 4))
        steps = {1, 1.5, 2, 3, 4, 5, 7};
    else if (fits(2))
        steps = {1, 2, 5};
    const int every = std::max(1, static_cast<int>(std::ceil(pixelsApart / perDecade)));
    const int last = static_cast<int>(std::ceil(std::log10(high)));
    for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= last; ++decade)
        for (const double step : steps)
            if (const double v = step * std::pow(10.0, decade); v >= low && v <= high && decade % every == 0)
                out.push_back(v);
    // A range that is narrower than these steps is almost linear.
    return out.size() < 2 && high < 10 * low ? linearTicks(low, high, pixels, pixelsApart) : out;
}

std::vector<double> Axis::ticks(double pixelsApart) const
{
    const double pixels = std::abs(p1 - p0);
    if (scale == Scale::Log)
        return logTicks(v0, v1, pixels, pixelsApart);
    return linearTicks(v0, v1, pixels, pixelsApart);
}

namespace {

/// Paints a line on whole pixels without antialiasing, which is slow for long lines.
void paintRule(QPainter& painter, QPointF from, QPointF to, const QColor& colour)
{
    const QPointF start(std::floor(from.x()), std::floor(from.y()));
    painter.fillRect(from.x() == to.x() ? QRectF(start, QSizeF(1, to.y() - start.y()))
                                        : QRectF(start, QSizeF(to.x() - start.x(), 1)),
                     colour);
}

} // namespace

void paintXAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme, const QRectF& taken)
{
    painter.setFont(uiFont(0.9));
    const TextMetrics fm(painter.font());
    const double baseline = plot.bottom() + fm.ascent() + 4;
    const double titleLeft = plot.right() - fm.horizontalAdvance(title);
    const auto isTaken = [&taken](double from, double to) {
        constexpr double kApart = 4;
        return !taken.isNull() && from < taken.right() + kApart && to > taken.left() - kApart;
    };
    for (const double v : axis.ticks(90)) {
        const double x = std::round(axis.toPixel(v)) + 0.5;
        paintRule(painter, {x, plot.top()}, {x, plot.bottom()}, theme.grid);
        const QString label = shortNumber(v);
        const double w = fm.horizontalAdvance(label);
        // The title is at the end of the row of tick labels; no label overlaps it.
        const double left = std::clamp(x - w / 2, plot.left(), std::max(plot.left(), plot.right() - w));
        if ((!title.isEmpty() && left + w > titleLeft - 10) || isTaken(left, left + w))
            continue;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(left, baseline), label);
    }
    painter.setPen(theme.muted);
    if (!isTaken(titleLeft, plot.right()))
        painter.drawText(QPointF(titleLeft, baseline), title);
    paintRule(painter, plot.bottomLeft(), plot.bottomRight(), theme.outline);
}

void paintYAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const TextMetrics fm(painter.font());
    // In a low chart the ticks are closer together, so that there are at least some.
    const double apart = std::max(1.8 * fm.height(), std::min(plot.height() / 3, 44.0));
    for (const double v : axis.ticks(apart)) {
        const double y = std::round(axis.toPixel(v)) + 0.5;
        paintRule(painter, {plot.left(), y}, {plot.right(), y}, theme.grid);
        painter.setPen(theme.muted);
        const QString label = shortNumber(v);
        painter.drawText(QPointF(plot.left() - fm.horizontalAdvance(label) - 6, y + fm.ascent() / 2 - 1),
                         label);
    }
    paintRule(painter, plot.topLeft(), plot.bottomLeft(), theme.outline);
    if (!title.isEmpty()) {
        painter.setPen(theme.muted);
        painter.drawText(QPointF(plot.left(), plot.top() - 6), title);
    }
}

} // namespace tilewright::ui
