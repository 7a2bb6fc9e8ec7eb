// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/axis.h"

#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

std::vector<double> Axis::ticks(double pixelsApart) const
{
    std::vector<double> out;
    const double pixels = std::abs(p1 - p0);
    if (!(v1 > v0) || pixels < 1)
        return out;
    const double raw = (v1 - v0) * pixelsApart / pixels;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = power * 10;
    for (const double m : {1.0, 2.0, 5.0})
        if (power * m >= raw) {
            step = power * m;
            break;
        }
    for (double i = std::ceil(v0 / step - 1e-9); i * step <= v1 + step * 1e-9; ++i)
        out.push_back(i * step);
    return out;
}

namespace {

Axis clampRange(Axis axis, double low, double high)
{
    const double span = std::min(axis.v1 - axis.v0, high - low);
    axis.v0 = std::clamp(axis.v0, low, high - span);
    axis.v1 = axis.v0 + span;
    return axis;
}

} // namespace

Axis Axis::zoomed(double factor, double pixel, double low, double high) const
{
    const double anchor = toValue(pixel);
    Axis next = *this;
    next.v0 = anchor - (anchor - v0) / factor;
    next.v1 = anchor + (v1 - anchor) / factor;
    if (!(next.v1 - next.v0 > (high - low) * 1e-9))
        return *this;
    return clampRange(next, low, high);
}

Axis Axis::panned(double pixels, double low, double high) const
{
    const double by = toValue(p0 + pixels) - v0;
    Axis next = *this;
    next.v0 -= by;
    next.v1 -= by;
    return clampRange(next, low, high);
}

namespace {

/// On whole pixels. Smoothed lines as long as a pane take longer to paint than everything written beside
/// them.
void paintRule(QPainter& painter, QPointF from, QPointF to, const QColor& colour)
{
    const QPointF start(std::floor(from.x()), std::floor(from.y()));
    painter.fillRect(from.x() == to.x() ? QRectF(start, QSizeF(1, to.y() - start.y()))
                                        : QRectF(start, QSizeF(to.x() - start.x(), 1)),
                     colour);
}

} // namespace

void paintXAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const TextMetrics fm(painter.font());
    const double baseline = plot.bottom() + fm.ascent() + 4;
    const double titleLeft = plot.right() - fm.horizontalAdvance(title);
    for (const double v : axis.ticks(90)) {
        const double x = std::round(axis.toPixel(v)) + 0.5;
        paintRule(painter, {x, plot.top()}, {x, plot.bottom()}, theme.grid);
        const QString label = shortNumber(v);
        const double w = fm.horizontalAdvance(label);
        // The title stands at the end of the label row; a label never runs into it.
        const double left = std::clamp(x - w / 2, plot.left(), std::max(plot.left(), plot.right() - w));
        if (!title.isEmpty() && left + w > titleLeft - 10)
            continue;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(left, baseline), label);
    }
    painter.setPen(theme.muted);
    painter.drawText(QPointF(titleLeft, baseline), title);
    paintRule(painter, plot.bottomLeft(), plot.bottomRight(), theme.outline);
}

void paintYAxis(QPainter& painter, const Axis& axis, const QRectF& plot, const QString& title,
                const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const TextMetrics fm(painter.font());
    for (const double v : axis.ticks(44)) {
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
