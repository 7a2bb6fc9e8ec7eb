// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/number.h"
#include "theme/words.h"
#include "views/npu/npu_scaling_view.h"
#include "views/npu/npu_text.h"

#include <QPainter>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

PlotMark schedulerMark(bool dynamic, const Theme& theme)
{
    PlotMark m;
    m.shape = dynamic ? PlotShape::Disc : PlotShape::Square;
    m.pen = QPen(theme.canvas, 1);
    m.brush = dynamic ? theme.accent : theme.computeTime;
    return m;
}

QPen schedulerPen(bool dynamic, const Theme& theme)
{
    return QPen(dynamic ? theme.accent : theme.computeTime, 2, dynamic ? Qt::SolidLine : Qt::DashLine);
}

template <typename Y>
void addCurve(PlotModel& plot, const NpuComparison& c, bool dynamic, const Theme& theme, Y&& y)
{
    PlotLine line{dynamic ? tr("dynamic") : tr("static"), {}, schedulerPen(dynamic, theme)};
    for (const npu::ScalingPoint& s : c.points) {
        PlotMark m = schedulerMark(dynamic, theme);
        m.x = s.cores;
        m.y = y(s);
        m.id = s.cores;
        line.points.emplace_back(m.x, m.y);
        plot.marks.push_back(m);
    }
    plot.lines.push_back(std::move(line));
}

} // namespace

std::vector<ChartKey> npuScalingKeys(const Theme& theme)
{
    return {lineKey(tr("dynamic"), schedulerPen(true, theme), schedulerMark(true, theme)),
            lineKey(tr("static"), schedulerPen(false, theme), schedulerMark(false, theme)),
            lineKey(tr("ideal"), QPen(theme.muted, 1, Qt::DotLine))};
}

std::vector<PlotModel> npuScalingPlots(const NpuComparison& c, const Theme& theme)
{
    const double most = std::max(2, c.points.back().cores);
    PlotModel speedup;
    speedup.pick = PlotPick::Column;
    speedup.x.low = 1 - (most - 1) * 0.04;
    speedup.x.high = most * 1.02;
    // The last label has the unit.
    speedup.x.text = [last = c.points.back().cores](double v) {
        const int cores = qRound(v);
        return cores == last ? counted(cores, tr("core"), tr("cores")) : QString::number(cores);
    };
    for (const npu::ScalingPoint& s : c.points) // ticks at whole numbers of cores only
        speedup.x.ticks.push_back(s.cores);
    speedup.x.current = c.cores;
    PlotModel efficiency = speedup;

    const QPen ideal(theme.muted, 1, Qt::DotLine);
    speedup.y.title = tr("Speed-up over one core");
    double high = 1;
    for (const npu::ScalingPoint& s : c.points)
        high = std::max({high, s.staticSpeedup, s.dynamicSpeedup});
    speedup.y.high = std::max(std::min(most, high * 1.35) * 1.04, 1.2);
    speedup.lines.push_back({{}, {{1, 1}, {most, most}}, ideal});
    efficiency.y.title = tr("Efficiency (speed-up / cores)");
    efficiency.y.high = 1.08;
    efficiency.lines.push_back({{}, {{1, 1}, {most, 1}}, ideal});
    for (const bool dynamic : {false, true}) {
        addCurve(speedup, c, dynamic, theme,
                 [&](const npu::ScalingPoint& s) { return dynamic ? s.dynamicSpeedup : s.staticSpeedup; });
        addCurve(efficiency, c, dynamic, theme, [&](const npu::ScalingPoint& s) {
            return dynamic ? s.dynamicEfficiency() : s.staticEfficiency();
        });
    }
    return {speedup, efficiency};
}

QString npuSchedulerSentence(const NpuComparison& c)
{
    if (c.staticMakespan <= 0 || c.dynamicMakespan <= 0)
        return {};
    const double change =
        static_cast<double>(c.dynamicMakespan - c.staticMakespan) / static_cast<double>(c.staticMakespan);
    const QString cores = counted(c.cores, tr("core"), tr("cores"));
    if (c.dynamicMakespan == c.staticMakespan)
        return tr("On %1 both schedulers take %2.")
            .arg(cores, counted(c.staticMakespan, tr("cycle"), tr("cycles")));
    const QString text = (change < 0 ? tr("On %1 dynamic is faster than static (%2). Core cycles:")
                                     : tr("On %1 dynamic is slower than static (%2). Core cycles:"))
                             .arg(cores, signedPercent(change));
    // The states with the largest differences, with sign, per core.
    std::vector<std::pair<npu::Cycle, std::size_t>> deltas;
    for (std::size_t s = 0; s < npu::kCoreStates; ++s)
        if (c.dynamicSums[s] != c.staticSums[s])
            deltas.emplace_back(c.dynamicSums[s] - c.staticSums[s], s);
    std::sort(deltas.begin(), deltas.end(),
              [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
    QStringList parts;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, deltas.size()); ++i)
        parts << stateName(static_cast<npu::CoreState>(deltas[i].second)) + QChar(0xA0) +
                     signedNumber(static_cast<double>(deltas[i].first));
    return text + QLatin1Char(' ') + parts.join(tr(", ")) + QLatin1Char('.');
}

void paintNpuSchedulers(QPainter& painter, const NpuComparison& c, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    QTextOption wrap(Qt::AlignLeft | Qt::AlignTop);
    wrap.setWrapMode(QTextOption::WordWrap);
    const QRectF text(area.left(), area.top(), area.width(), 2 * fm.height() + 2);
    painter.drawText(text, npuSchedulerSentence(c), wrap);
    const double label =
        std::max(fm.horizontalAdvance(tr("static")), fm.horizontalAdvance(tr("dynamic"))) + 10;
    const double most = static_cast<double>(std::max({c.staticMakespan, c.dynamicMakespan, npu::Cycle{1}}));
    const double figures = fm.horizontalAdvance(number(static_cast<std::int64_t>(most))) + 60;
    double y = text.bottom() + 6;
    for (const bool dynamic : {false, true}) {
        const auto& sums = dynamic ? c.dynamicSums : c.staticSums;
        const npu::Cycle makespan = dynamic ? c.dynamicMakespan : c.staticMakespan;
        painter.setPen(theme.text);
        painter.drawText(QPointF(area.left(), y + fm.ascent() + 2), dynamic ? tr("dynamic") : tr("static"));
        const double full = std::max(10.0, area.width() - label - figures);
        double x = area.left() + label;
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
            const double w = full * static_cast<double>(sums[s]) / (most * std::max(1, c.cores));
            fillState(painter, QRectF(x, y, w, fm.height() + 4), static_cast<npu::CoreState>(s), theme);
            x += w;
        }
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 8, y + fm.ascent() + 2), counted(makespan, tr("cycle"), tr("cycles")));
        y += fm.height() + 9;
    }
    std::vector<ChartKey> keys;
    for (std::size_t s = 0; s < npu::kCoreStates; ++s)
        if (c.staticSums[s] != 0 || c.dynamicSums[s] != 0)
            keys.push_back(
                {stateName(static_cast<npu::CoreState>(s)), [s, &theme](QPainter& p, const QRectF& box) {
                     p.setRenderHint(QPainter::Antialiasing, false);
                     fillState(p, box, static_cast<npu::CoreState>(s), theme);
                 }});
    paintKeys(painter, keys, {area.left() + label, y, area.width() - label, fm.height()}, theme);
}

} // namespace tilewright::ui
