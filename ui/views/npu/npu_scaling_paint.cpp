// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/axis.h"
#include "theme/number.h"
#include "theme/words.h"
#include "views/npu/npu_scaling_view.h"
#include "views/npu/npu_text.h"

#include <QPainter>
#include <QPainterPath>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

double mostCores(const NpuComparison& c)
{
    return c.points.empty() ? 1 : std::max(2, c.points.back().cores);
}

void marker(QPainter& painter, QPointF at, bool dynamic, double r, const QColor& colour, const Theme& theme)
{
    painter.setPen(QPen(theme.canvas, 1));
    painter.setBrush(colour);
    if (dynamic)
        painter.drawEllipse(at, r, r);
    else
        painter.drawRect(QRectF(at.x() - r, at.y() - r, 2 * r, 2 * r));
}

/// Both curves; circles and a solid line are dynamic, squares and a dashed line static.
template <typename S, typename D>
void curves(QPainter& painter, const NpuComparison& c, const Axis& x, const Axis& y,
            std::optional<std::size_t> hover, const Theme& theme, S&& ofStatic, D&& ofDynamic)
{
    for (const bool dynamic : {false, true}) {
        const QColor colour = dynamic ? theme.accent : theme.computeTime;
        QPolygonF line;
        for (const npu::ScalingPoint& p : c.points)
            line << QPointF(x.toPixel(p.cores), y.toPixel(dynamic ? ofDynamic(p) : ofStatic(p)));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, 2, dynamic ? Qt::SolidLine : Qt::DashLine));
        painter.drawPolyline(line);
        for (std::size_t i = 0; i < c.points.size(); ++i)
            marker(painter, line[static_cast<qsizetype>(i)], dynamic, hover == i ? 6 : 4, colour, theme);
    }
}

void axes(QPainter& painter, const NpuComparison& c, const QRectF& plot, const Axis& x, const Axis& y,
          const QString& title, const Theme& theme)
{
    paintYAxis(painter, y, plot, title, theme);
    // Whole numbers of cores only.
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    const double base = plot.bottom() + fm.ascent() + 4;
    double last = -1e9;
    for (const npu::ScalingPoint& p : c.points) {
        const double at = x.toPixel(p.cores);
        painter.setPen(p.cores == c.cores ? theme.accent : theme.grid);
        painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
        // The last one says what is counted.
        const bool end = &p == &c.points.back();
        const QString label = end ? counted(p.cores, tr("core"), tr("cores")) : QString::number(p.cores);
        const double w = fm.horizontalAdvance(label);
        const double left = std::min(at - w / 2, plot.right() - w);
        if (left < last + 4)
            continue;
        painter.setPen(p.cores == c.cores ? theme.accent : theme.muted);
        painter.drawText(QPointF(left, base), label);
        last = left + w;
    }
    painter.setPen(theme.outline);
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

void paintWhy(QPainter& painter, const NpuComparison& c, const QRectF& area, const Theme& theme)
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
    double x = area.left() + label;
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        const auto state = static_cast<npu::CoreState>(s);
        const QString name = stateName(state);
        if (c.staticSums[s] == 0 && c.dynamicSums[s] == 0)
            continue;
        const double w = 17 + fm.horizontalAdvance(name) + 12;
        if (x + w > area.right())
            break;
        const QRectF box(x, y + (fm.height() - 12) / 2, 12, 12);
        painter.setRenderHint(QPainter::Antialiasing, false);
        fillState(painter, box, state, theme);
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 17, y + fm.ascent()), name);
        x += w;
    }
}

} // namespace

NpuScalingPlaces npuScalingPlaces(const QRectF& area)
{
    const QFontMetricsF fm(uiFont(0.9));
    const double title = QFontMetricsF(uiFont(1.0)).height() + fm.height() + 8;
    const double why = 2 * fm.height() + 6 + 2 * (fm.height() + 9) + fm.height() + 8;
    NpuScalingPlaces p;
    p.title = {area.left() + 8, area.top() + 8, area.width() - 16, title};
    const double top = p.title.bottom() + fm.height() + 8;
    const bool room = area.height() - title - why > 150;
    const double bottom = area.bottom() - (room ? why + 8 : 8) - fm.height() - 14;
    const double axis = 44;
    const double width = std::max(40.0, (area.width() - 2 * axis - 40) / 2);
    p.speedup = {area.left() + 8 + axis, top, width, std::max(20.0, bottom - top)};
    p.efficiency = {p.speedup.right() + axis + 16, top, width - 8, p.speedup.height()};
    if (room)
        p.why = {area.left() + 8, area.bottom() - why - 4, area.width() - 16, why};
    return p;
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
    // The states that differ most, with their sign, per core.
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

void paintNpuScaling(QPainter& painter, const NpuComparison& c, const NpuScalingPlaces& p,
                     std::optional<std::size_t> hover, const Theme& theme)
{
    painter.setFont(uiFont(1.0, QFont::DemiBold));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    painter.drawText(QPointF(p.title.left(), p.title.top() + fm.ascent()),
                     fm.elidedText(tr("%1 on 1 to %2")
                                       .arg(QString::fromStdString(c.model->name),
                                            counted(c.points.back().cores, tr("core"), tr("cores"))),
                                   Qt::ElideRight, p.title.width()));
    painter.setFont(uiFont(0.9));
    const QFontMetricsF small(painter.font());
    const double base = p.title.top() + fm.height() + 4 + small.ascent();
    double x = p.title.left();
    for (const bool dynamic : {true, false}) {
        const QColor colour = dynamic ? theme.accent : theme.computeTime;
        painter.setPen(QPen(colour, 2, dynamic ? Qt::SolidLine : Qt::DashLine));
        painter.drawLine(QPointF(x, base - 4), QPointF(x + 26, base - 4));
        marker(painter, QPointF(x + 13, base - 4), dynamic, 4, colour, theme);
        const QString name = dynamic ? tr("dynamic") : tr("static");
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 32, base), name);
        x += 32 + small.horizontalAdvance(name) + 18;
    }
    painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, base - 4), QPointF(x + 26, base - 4));
    painter.setPen(theme.muted);
    painter.drawText(QPointF(x + 32, base), tr("ideal"));

    double high = 1;
    for (const npu::ScalingPoint& s : c.points)
        high = std::max({high, s.staticSpeedup, s.dynamicSpeedup});
    const double most = mostCores(c);
    const double top = std::min(most, high * 1.35) * 1.04;
    const Axis sx{1 - (most - 1) * 0.04, most * 1.02, p.speedup.left(), p.speedup.right()};
    const Axis sy{0, std::max(top, 1.2), p.speedup.bottom(), p.speedup.top()};
    axes(painter, c, p.speedup, sx, sy, tr("Speed-up over one core"), theme);
    painter.save();
    painter.setClipRect(p.speedup, Qt::IntersectClip);
    painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(sx.toPixel(1), sy.toPixel(1)), QPointF(sx.toPixel(most), sy.toPixel(most)));
    painter.restore();
    curves(
        painter, c, sx, sy, hover, theme, [](const npu::ScalingPoint& s) { return s.staticSpeedup; },
        [](const npu::ScalingPoint& s) { return s.dynamicSpeedup; });
    const Axis ex{sx.v0, sx.v1, p.efficiency.left(), p.efficiency.right()};
    const Axis ey{0, 1.08, p.efficiency.bottom(), p.efficiency.top()};
    axes(painter, c, p.efficiency, ex, ey, tr("Efficiency (speed-up / cores)"), theme);
    painter.setPen(QPen(theme.muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(ex.toPixel(1), ey.toPixel(1)), QPointF(ex.toPixel(most), ey.toPixel(1)));
    curves(
        painter, c, ex, ey, hover, theme, [](const npu::ScalingPoint& s) { return s.staticEfficiency(); },
        [](const npu::ScalingPoint& s) { return s.dynamicEfficiency(); });
    if (!p.why.isEmpty())
        paintWhy(painter, c, p.why, theme);
}

} // namespace tilewright::ui
