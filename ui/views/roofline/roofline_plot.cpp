// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/roofline/roofline_plot.h"

#include "canvas/bound_mark.h"
#include "chart/plot_paint.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilewright::ui {

namespace {

constexpr double kLargestRadius = 20;
constexpr double kSmallestRadius = 4;
constexpr double kNoCeiling = 0.995; // higher ceilings coincide with the roof

PlotShape shapeOf(Bound bound)
{
    return bound == Bound::Compute  ? PlotShape::TriangleUp
           : bound == Bound::Memory ? PlotShape::TriangleDown
                                    : PlotShape::Diamond;
}

/// "12 %"; empty above the peak.
QString percentOfPeak(double v)
{
    return v > 1.0001 ? QString() : significantNumber(v * 100) + QStringLiteral("\u00A0%");
}

PlotMark dotMark(const RooflineModel& model, const RooflineDot& dot, bool current, const Theme& theme)
{
    const QColor& fill = boundColour(dot.point.bound, theme);
    PlotMark m{dot.x, dot.y};
    m.shape = shapeOf(dot.point.bound);
    m.radius = dotRadius(model, dot);
    m.pen =
        current ? QPen(theme.accent, 3) : QPen(Theme::mix(fill, theme.dark ? Qt::white : Qt::black, 0.45), 1);
    m.brush = Theme::mix(theme.canvas, fill, 0.8);
    m.name = QString::number(dot.point.subgraph.index());
    m.ink = theme.inkOn(Theme::mix(theme.canvas, fill, 0.8));
    return m;
}

/// Labels of dots; the largest of several coinciding dots, which is painted first, has the label of all: "2,
/// 5" or "2, +8".
std::vector<QString> namesOf(const RooflineModel& model)
{
    constexpr double kSame = 0.02;    // dots within this share of a decade coincide
    constexpr std::size_t kNamed = 3; // more names do not fit beside the dots
    std::map<std::tuple<std::int64_t, std::int64_t, Bound>, std::vector<std::size_t>>
        groups; // coinciding dots
    for (std::size_t i = 0; i < model.dots.size(); ++i) {
        const RooflineDot& d = model.dots[i];
        groups[{std::llround(std::log10(d.x) / kSame), std::llround(std::log10(d.y) / kSame), d.point.bound}]
            .push_back(i);
    }
    std::vector<QString> names(model.dots.size());
    for (const auto& [place, group] : groups) {
        std::vector<std::size_t> subgraphs;
        for (const std::size_t i : group)
            subgraphs.push_back(model.dots[i].point.subgraph.index());
        std::ranges::sort(subgraphs);
        const std::size_t named = subgraphs.size() <= kNamed ? subgraphs.size() : 1;
        QStringList some;
        for (std::size_t i = 0; i < named; ++i)
            some << QString::number(subgraphs[i]);
        if (named < subgraphs.size())
            some << QStringLiteral("+%1").arg(subgraphs.size() - named);
        names[group.front()] = some.join(QStringLiteral(", "));
    }
    return names;
}

std::vector<ChartKey> keysOf(const RooflineModel& model, const Theme& theme)
{
    std::vector<ChartKey> keys;
    for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced}) {
        PlotMark mark;
        mark.shape = shapeOf(bound);
        mark.radius = 8;
        mark.brush = boundColour(bound, theme);
        keys.push_back(markKey(boundText(bound), mark));
    }
    keys.push_back({tr("area: latency")});
    if (model.hasBaseline)
        keys.push_back({tr("hollow, dashed: baseline")});
    return keys;
}

} // namespace

double dotRadius(const RooflineModel& model, const RooflineDot& dot)
{
    double most = 0;
    for (const auto* list : {&model.dots, &model.ghosts})
        if (!list->empty()) // largest first
            most = std::max(most, list->front().point.latency);
    return std::max(kSmallestRadius, kLargestRadius * std::sqrt(dot.point.latency / most));
}

PlotModel rooflinePlot(const RooflineModel& model, const RooflineMarks& marks, const Theme& theme)
{
    PlotModel p;
    p.title = model.title;
    p.keys = keysOf(model, theme);
    p.x = {tr("operational intensity: work per element moved"), Scale::Log, model.xLow, model.xHigh, 1};
    p.y = {tr("throughput as a share of the compute peak"),
           Scale::Log,
           model.yLow,
           model.yHigh,
           1,
           percentOfPeak,
           QStringLiteral("0.05 %")};

    // The roofs extend over the whole range that can be shown.
    const ScheduleRoofline& roofs = model.roofs;
    const double left = std::min(p.x.farLow(), roofs.ridge) / 10;
    const double right = std::max(p.x.farHigh(), roofs.ridge) * 10;
    const QPointF corner(roofs.ridge, 1);
    const QPointF low(left, roofs.bandwidth * left);
    p.lines.push_back({{}, {low, corner, {right, 1}}, QPen(theme.text, 2)});
    const double ceiling = roofs.whole.paddingCeiling;
    const bool padded = ceiling > 0 && ceiling < kNoCeiling;
    const double under = ceiling / roofs.bandwidth;
    if (padded)
        p.lines.push_back({{}, {{under, ceiling}, {right, ceiling}}, QPen(theme.warning, 1.5, Qt::DashLine)});
    p.labels.push_back({{tr("compute roof")}, corner, {right, 1}, theme.text});
    if (padded)
        p.labels.push_back({{tr("padding ceiling %1").arg(percent(ceiling))},
                            {under, ceiling},
                            {right, ceiling},
                            theme.warning,
                            true});
    p.labels.push_back(
        {{tr("memory roof, %1 elements per unit of time").arg(number(roofs.bandwidth)), tr("memory roof")},
         low,
         corner,
         theme.text});

    for (const RooflineDot& d : model.dots)
        if (const double own = d.point.paddingCeiling;
            marks.current == d.point.subgraph && own > 0 && own < kNoCeiling) {
            // From the dot up to the ceiling of its own padding.
            p.lines.push_back(
                {{}, {{d.x, d.y}, {d.x, std::max(d.y, own)}}, QPen(theme.accent, 1.2, Qt::DotLine)});
            p.lines.push_back({{}, {{d.x / 1.25, own}, {d.x * 1.25, own}}, QPen(theme.accent, 2)});
        }

    const QColor faint = Theme::mix(theme.canvas, theme.text, 0.7);
    for (std::size_t i = 0; i < model.ghosts.size(); ++i) {
        PlotMark m = dotMark(model, model.ghosts[i], false, theme);
        m.id = static_cast<int>(model.dots.size() + i);
        m.pen = QPen(faint, 1.3, Qt::DashLine);
        m.brush = Qt::NoBrush;
        m.name.clear();
        p.marks.push_back(std::move(m));
    }
    for (const auto& [ghost, dot] : model.moves) {
        const RooflineDot& from = model.ghosts[ghost];
        const RooflineDot& to = model.dots[dot];
        p.arrows.push_back({{from.x, from.y}, {to.x, to.y}, dotRadius(model, to) + 2, faint});
    }
    const std::vector<QString> names = namesOf(model);
    for (std::size_t i = 0; i < model.dots.size(); ++i) {
        const RooflineDot& d = model.dots[i];
        const bool current = marks.current == d.point.subgraph || marks.selected.count(d.point.subgraph) > 0;
        p.marks.push_back(dotMark(model, d, current, theme));
        p.marks.back().id = static_cast<int>(i);
        p.marks.back().name = names[i];
    }
    return p;
}

} // namespace tilewright::ui
