// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/roofline_paint.h"

#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilewright::ui {

using namespace systolic;

namespace {

/// A shape for each level, so that colour is not the only sign.
void drawLevelMark(QPainter& painter, QPointF at, std::size_t level, double r)
{
    switch (level) {
    case 0:
        painter.drawEllipse(at, r, r);
        break;
    case 1:
        painter.drawRect(QRectF(at.x() - r * 0.9, at.y() - r * 0.9, r * 1.8, r * 1.8));
        break;
    case 2:
        painter.drawPolygon(QPolygonF(
            {at + QPointF(0, -r * 1.2), at + QPointF(r * 1.1, r * 0.8), at + QPointF(-r * 1.1, r * 0.8)}));
        break;
    default:
        painter.drawPolygon(QPolygonF({at + QPointF(0, -r * 1.3), at + QPointF(r * 1.3, 0),
                                       at + QPointF(0, r * 1.3), at + QPointF(-r * 1.3, 0)}));
        break;
    }
}

} // namespace

QString rooflineLevel(Level level)
{
    switch (level) {
    case Level::L1:
        return QStringLiteral("L1");
    case Level::L2:
        return QStringLiteral("L2");
    case Level::L3:
        return QStringLiteral("L3");
    default:
        return QStringLiteral("DRAM");
    }
}

QString bindingText(const std::string& binding)
{
    return binding == "array" ? tr("the array") : QString::fromStdString(binding).toUpper();
}

void paintMultiRoofline(QPainter& painter, const Roofline& r, const Roofline* other, const QString& otherName,
                        const QRectF& area, const Theme& theme)
{
    const QFont font = uiFont(0.85);
    const QFontMetricsF fm(font);
    painter.save();
    painter.setFont(font);
    const double left = fm.horizontalAdvance(QStringLiteral("1.00k")) + 8;
    const QRectF plot = area.adjusted(left, fm.height() + 6, -6, -fm.height() * 2 - 6);
    if (plot.width() < 80 || plot.height() < 50) {
        painter.restore();
        return;
    }
    double x0 = 1e300;
    double x1 = 0;
    for (const Roofline* one : {&r, other})
        for (std::size_t i = 0; one && i < one->points.size(); ++i) {
            x0 = std::min(x0, one->points[i].intensity);
            x1 = std::max(x1, one->points[i].intensity);
        }
    for (const RooflinePoint& p : r.points)
        x1 = std::max(x1, r.peakGflops / p.gbPerSecond);
    for (const RooflinePoint& p : r.points)
        x0 = std::min(x0, r.peakGflops / p.gbPerSecond);
    x0 /= 2;
    x1 *= 2;
    const double y1 = r.peakGflops * 1.8;
    double y0 = std::min(r.attainableGflops, other ? other->attainableGflops : r.attainableGflops) / 6;
    y0 = std::max(y0, r.peakGflops / 1e6);
    const auto px = [&](double v) {
        return plot.left() + (std::log(v) - std::log(x0)) / (std::log(x1) - std::log(x0)) * plot.width();
    };
    const auto py = [&](double v) {
        return plot.bottom() - (std::log(v) - std::log(y0)) / (std::log(y1) - std::log(y0)) * plot.height();
    };
    painter.setPen(theme.muted);
    painter.drawText(QPointF(area.left(), area.top() + fm.ascent()), tr("GFLOP/s"));
    // 1, 2, 5 times a power of ten; labels where there is room.
    const auto ticks = [](double low, double high) {
        std::vector<double> out;
        for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10)
            for (const double m : {1.0, 2.0, 5.0})
                if (power * m >= low && power * m <= high)
                    out.push_back(power * m);
        return out;
    };
    double lastRight = -1e9;
    for (const double d : ticks(x0, x1)) {
        const QString label = shortNumber(d);
        const double w = fm.horizontalAdvance(label);
        if (px(d) - w / 2 < std::max(lastRight + 14, plot.left()) || px(d) + w / 2 > plot.right())
            continue;
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(px(d), plot.top()), QPointF(px(d), plot.bottom()));
        painter.setPen(theme.muted);
        painter.drawText(QPointF(px(d) - w / 2, plot.bottom() + fm.ascent() + 3), label);
        lastRight = px(d) + w / 2;
    }
    double lastTop = 1e9;
    for (const double d : ticks(y0, y1)) {
        if (py(d) + fm.height() + 4 > lastTop || py(d) - fm.ascent() / 2 < plot.top())
            continue;
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(plot.left(), py(d)), QPointF(plot.right(), py(d)));
        painter.setPen(theme.muted);
        painter.drawText(
            QPointF(plot.left() - fm.horizontalAdvance(shortNumber(d)) - 4, py(d) + fm.ascent() / 2 - 1),
            shortNumber(d));
        lastTop = py(d);
    }
    painter.setPen(theme.muted);
    const QString xTitle = tr("FLOP per byte across the level");
    painter.drawText(QPointF(plot.right() - fm.horizontalAdvance(xTitle), area.bottom() - fm.descent()),
                     xTitle);
    painter.setPen(theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
    painter.drawLine(plot.topLeft(), plot.bottomLeft());

    painter.save();
    painter.setClipRect(plot.adjusted(0, -2, 2, 0));
    const auto colour = [&](std::size_t i) {
        return theme.categoryBorder(i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 2 : 5);
    };
    for (std::size_t i = 0; i < r.points.size(); ++i) {
        const double bw = r.points[i].gbPerSecond;
        const double ridge = r.peakGflops / bw;
        painter.setPen(QPen(colour(i), 1.5));
        painter.drawLine(QPointF(px(x0), py(bw * x0)),
                         QPointF(px(std::min(ridge, x1)), py(bw * std::min(ridge, x1))));
    }
    painter.setPen(QPen(theme.text, 1.5));
    double ridge = x1;
    for (const RooflinePoint& p : r.points)
        ridge = std::min(ridge, r.peakGflops / p.gbPerSecond);
    painter.drawLine(QPointF(px(std::max(x0, ridge)), py(r.peakGflops)),
                     QPointF(plot.right(), py(r.peakGflops)));
    painter.setPen(QPen(theme.computeTime, 1.5, Qt::DashLine));
    painter.drawLine(QPointF(plot.left(), py(r.arrayGflops)), QPointF(plot.right(), py(r.arrayGflops)));
    painter.restore();
    // What the array alone reaches stands under the right end of its line.
    const QString array = tr("array %1").arg(shortNumber(r.arrayGflops));
    painter.setPen(theme.text);
    painter.drawText(
        QPointF(plot.right() - fm.horizontalAdvance(array) - 2, py(r.arrayGflops) + fm.height() + 7), array);

    const auto points = [&](const Roofline& one, bool hollow) {
        for (std::size_t i = 0; i < one.points.size(); ++i) {
            const QPointF at(px(one.points[i].intensity), py(one.attainableGflops));
            painter.setPen(QPen(hollow ? colour(i) : theme.canvas, hollow ? 1.6 : 1));
            painter.setBrush(hollow ? QBrush(Qt::NoBrush) : QBrush(colour(i)));
            drawLevelMark(painter, at, i, hollow ? 7 : 5.5);
        }
    };
    if (other)
        points(*other, true);
    points(r, false);
    painter.setBrush(Qt::NoBrush);
    // Key: one entry a level, with the binding one named.
    double x = area.left() + fm.horizontalAdvance(tr("GFLOP/s")) + 14;
    const double y = area.top() + fm.height() / 2 + 1;
    for (std::size_t i = 0; i < r.points.size(); ++i) {
        const QString name = rooflineLevel(r.points[i].level);
        if (x + 14 + fm.horizontalAdvance(name) > area.right())
            break;
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour(i));
        drawLevelMark(painter, QPointF(x + 4, y), i, 4);
        painter.setPen(theme.text);
        painter.drawText(QPointF(x + 12, area.top() + fm.ascent()), name);
        x += 12 + fm.horizontalAdvance(name) + 12;
    }
    if (other) {
        const QString label = tr("hollow: %1").arg(otherName);
        if (x + fm.horizontalAdvance(label) < area.right()) {
            painter.setPen(theme.muted);
            painter.drawText(QPointF(x, area.top() + fm.ascent()), label);
        }
    }
    painter.restore();
}

} // namespace tilewright::ui
