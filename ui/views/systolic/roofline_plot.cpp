// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/roofline_plot.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

constexpr int kNaiveMark = 64; // id of the mark of the naive schedule; the ids of levels start at 0

/// Returns the mark of a level. Each level has its own shape, so that levels can be recognised without
/// colour.
PlotMark levelMark(std::size_t level, bool hollow, const Theme& theme)
{
    constexpr PlotShape kShapes[] = {PlotShape::Disc, PlotShape::Square, PlotShape::TriangleUp,
                                     PlotShape::Diamond};
    constexpr double kSizes[] = {1, 1, 1.15, 1.3};
    const std::size_t shape = std::min<std::size_t>(level, 3);
    const QColor colour = theme.categoryBorder(level == 3 ? 5 : level);
    PlotMark m;
    m.shape = kShapes[shape];
    m.radius = (hollow ? 7 : 5.5) * kSizes[shape];
    m.pen = hollow ? QPen(colour, 1.6) : QPen(theme.canvas, 1);
    m.brush = hollow ? QBrush(Qt::NoBrush) : QBrush(colour);
    return m;
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

QString rooflineTitle(const Roofline& r)
{
    return tr("Roofline: %1 of %2 GFLOP/s, bound by %3")
        .arg(number(std::round(r.attainableGflops)), number(std::round(r.peakGflops)),
             bindingText(r.binding));
}

void paintSystolicHead(QPainter& painter, const QRectF& area, const QString& title, const QString& headline,
                       const Theme& theme)
{
    const double y =
        writeLine(painter, area.topLeft(), area.width(), title, uiFont(1.0, QFont::DemiBold), theme.text);
    writeLine(painter, area.topLeft() + QPointF(0, y + 2), area.width(), headline, uiFont(0.95),
              theme.accent);
}

PlotModel levelRoofline(const Roofline& r, const Roofline* other, const QString& otherName,
                        const Theme& theme)
{
    PlotModel p;
    p.x = {tr("FLOP per byte across the level"), Scale::Log, 1e300, 0};
    p.y = {tr("GFLOP/s"), Scale::Log, 1e300, r.peakGflops * 1.8};
    p.y.widest = QStringLiteral("1.00k");
    const auto points = [&](const Roofline& one, bool hollow) {
        for (std::size_t i = 0; i < one.points.size(); ++i) {
            PlotMark m = levelMark(i, hollow, theme);
            m.x = one.points[i].intensity;
            m.y = one.attainableGflops;
            m.id = static_cast<int>(i + (hollow ? r.points.size() : 0));
            for (std::size_t later = i + 1; later < one.points.size();
                 ++later) // larger, so that it stays visible around a point on top of it
                if (std::abs(std::log(one.points[later].intensity / m.x)) < 0.02)
                    m.radius += 4.5;
            p.cover(m.x, m.y / 6);
            p.marks.push_back(m);
        }
    };
    if (other)
        points(*other, true);
    points(r, false);
    PlotMark naive;
    naive.x = r.naive.intensity;
    naive.y = std::min(r.naive.roofGflops, r.arrayGflops);
    naive.id = kNaiveMark;
    naive.shape = PlotShape::Diamond;
    naive.radius = 5.5;
    naive.pen = QPen(theme.muted, 1.6);
    naive.brush = QBrush(Qt::NoBrush);
    p.cover(naive.x, naive.y / 2);
    p.marks.push_back(naive);
    double ridge = 1e300; // intensity at which the compute roof starts
    for (const RooflinePoint& level : r.points) {
        ridge = std::min(ridge, r.peakGflops / level.gbPerSecond);
        p.cover(r.peakGflops / level.gbPerSecond, p.y.high);
    }
    p.x.low /= 2;
    p.x.high *= 2;
    p.y.low = std::max(p.y.low, r.peakGflops / 1e6);

    for (std::size_t i = 0; i < r.points.size(); ++i) {
        const double bandwidth = r.points[i].gbPerSecond;
        const double end = std::min(r.peakGflops / bandwidth, p.x.high);
        const QColor colour = levelMark(i, true, theme).pen.color();
        p.lines.push_back({{}, {{p.x.low, bandwidth * p.x.low}, {end, bandwidth * end}}, QPen(colour, 1.5)});
        p.keys.push_back(markKey(rooflineLevel(r.points[i].level), levelMark(i, false, theme)));
    }
    p.lines.push_back({{},
                       {{std::clamp(ridge, p.x.low, p.x.high), r.peakGflops}, {p.x.high, r.peakGflops}},
                       QPen(theme.text, 1.5)});
    // The label of the array's throughput is below the right end of its line.
    const QPointF left(p.x.low, r.arrayGflops);
    const QPointF right(p.x.high, r.arrayGflops);
    p.lines.push_back({{}, {left, right}, QPen(theme.computeTime, 1.5, Qt::DashLine)});
    p.labels.push_back({{tr("array %1").arg(shortNumber(r.arrayGflops))}, left, right, theme.text, true});
    p.keys.push_back(markKey(tr("no reuse"), naive));
    if (other)
        p.keys.push_back({tr("hollow: %1").arg(otherName)});
    return p;
}

QString levelRooflineTooltip(const Roofline& r, const Roofline* other, const QString& otherName,
                             const PlotMark& mark)
{
    if (mark.id == kNaiveMark)
        return tr("<b>no reuse</b><br>every FLOP moves two operands and a result: %1 FLOP per byte, %2 "
                  "GFLOP/s")
            .arg(significantNumber(r.naive.intensity), number(std::round(mark.y)));
    const auto i = static_cast<std::size_t>(mark.id);
    const bool hollow = i >= r.points.size();
    const Roofline& of = hollow && other ? *other : r;
    const RooflinePoint& level = of.points[hollow ? i - r.points.size() : i];
    QString out = QStringLiteral("<b>%1</b>").arg(rooflineLevel(level.level));
    if (hollow)
        out += QStringLiteral(", ") + otherName;
    return out + tr("<br>%1 FLOP per byte, %2 GFLOP/s attainable<br>the roof of this level allows %3 GFLOP/s")
                     .arg(significantNumber(level.intensity), number(std::round(of.attainableGflops)),
                          number(std::round(level.roofGflops)));
}

} // namespace tilewright::ui
