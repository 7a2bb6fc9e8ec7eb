// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_paint.h"

#include "theme/number.h"
#include "theme/words.h"
#include "views/npu/npu_text.h"

#include <QPainter>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

void paintTitle(QPainter& painter, const NpuChartModel& m, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(1.0, QFont::DemiBold));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    QString header = m.header;
    if (m.busy)
        header += tr(" · simulating …");
    painter.drawText(QPointF(area.left(), area.top() + fm.ascent()),
                     fm.elidedText(header, Qt::ElideRight, area.width()));
    painter.setFont(uiFont(0.9));
    const QFontMetricsF small(painter.font());
    const QRectF lines(area.left(), area.top() + fm.height() + 2, area.width(), 2 * small.height() + 1);
    painter.setPen(m.error.isEmpty() ? theme.text : theme.error);
    QTextOption option(Qt::AlignLeft | Qt::AlignTop);
    option.setWrapMode(QTextOption::WordWrap);
    // Two lines at most; the whole sentence is in the tooltip.
    const QString text = m.error.isEmpty() ? m.result->sentence : m.error;
    QString shown = text;
    while (shown.size() > 20 &&
           small.boundingRect(lines, Qt::TextWordWrap, shown).height() > 2 * small.height() + 1) {
        shown.chop(8);
        shown = shown.trimmed() + QStringLiteral("…");
    }
    painter.drawText(lines, shown, option);
}

void paintLegend(QPainter& painter, const NpuChartModel& m, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    double x = area.left();
    const double base = area.top() + fm.ascent();
    const double total =
        static_cast<double>(m.result->run->makespan) * static_cast<double>(m.result->run->cores.size());
    const auto entry = [&](std::size_t s, bool withShare) {
        QString text = stateName(static_cast<npu::CoreState>(s));
        if (withShare)
            text +=
                QLatin1Char(' ') + percent(total > 0 ? static_cast<double>(m.result->sums[s]) / total : 0);
        return text;
    };
    const auto widthOf = [&](const QString& text) { return 18 + fm.horizontalAdvance(text) + 14; };
    // In a narrow pane first the figures go, then the states that do not occur.
    const auto all = [&](bool withShare, bool absent) {
        double w = 0;
        for (std::size_t s = 0; s < npu::kCoreStates; ++s)
            if (absent || m.result->sums[s] > 0)
                w += widthOf(entry(s, withShare));
        return w - 14;
    };
    const bool withShare = all(true, true) <= area.width();
    const bool absent = withShare || all(false, true) <= area.width();
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        const auto state = static_cast<npu::CoreState>(s);
        const QString text = entry(s, withShare);
        if (!absent && m.result->sums[s] == 0)
            continue;
        const double w = widthOf(text);
        if (x + w - 14 > area.right())
            break;
        const QRectF box(x, area.top() + (fm.height() - 13) / 2, 13, 13);
        painter.setRenderHint(QPainter::Antialiasing, false);
        fillState(painter, box, state, theme);
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(QPen(theme.outline, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 18, base), text);
        x += w;
    }
    const QString ghost = tr("dashed / strip: run before");
    if (m.ghost && x + 26 + fm.horizontalAdvance(ghost) < area.right()) {
        painter.setPen(QPen(theme.text, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, base - 4), QPointF(x + 20, base - 4));
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 25, base), ghost);
    }
}

QString laneLabel(const NpuLane& lane)
{
    switch (lane.kind) {
    case NpuLaneKind::State:
        return tr("Core %1").arg(lane.core);
    case NpuLaneKind::Engines:
        return tr("tensor, vector");
    case NpuLaneKind::Dma:
        return tr("load, store");
    case NpuLaneKind::Spm:
        return tr("SPM");
    case NpuLaneKind::Dram:
        return tr("DRAM");
    case NpuLaneKind::Banks:
        return tr("DRAM banks");
    case NpuLaneKind::Noc:
        return tr("NoC");
    case NpuLaneKind::Ready:
        return tr("Ready units");
    }
    return {};
}

void paintLabels(QPainter& painter, const NpuChartModel& m, const NpuPlaces& p, const Theme& theme)
{
    painter.save();
    painter.setClipRect(QRectF(p.labels.left(), p.plot.top(), p.labels.width(), p.plot.height()),
                        Qt::IntersectClip);
    double below = -1e9; // of the label before: squeezed lanes share a line
    for (const NpuLane& lane : p.lanes) {
        const bool head = lane.kind == NpuLaneKind::State;
        painter.setFont(uiFont(head ? 0.9 : 0.8, head ? QFont::DemiBold : QFont::Normal));
        const QFontMetricsF fm(painter.font());
        const double right = p.plot.left() - 6;
        if (fm.ascent() > lane.rect.height() + 2 || lane.rect.center().y() - fm.ascent() / 2 < below)
            continue;
        below = lane.rect.center().y() + fm.ascent() / 2;
        painter.setPen(head ? theme.text : theme.muted);
        const QRectF r(p.labels.left(), lane.rect.top() - 2, right - p.labels.left(), lane.rect.height() + 4);
        const bool tall = lane.rect.height() > 2.2 * fm.height();
        painter.drawText(r, (tall ? Qt::AlignTop : Qt::AlignVCenter) | Qt::AlignRight,
                         fm.elidedText(laneLabel(lane), Qt::ElideRight, r.width()));
        if (!tall)
            continue;
        QString unit;
        if (lane.kind == NpuLaneKind::Dram || lane.kind == NpuLaneKind::Noc)
            unit = tr("bytes / cycle");
        else if (lane.kind == NpuLaneKind::Banks)
            unit = tr("%1 ch × %2")
                       .arg(m.result->settings.hardware.dram.channels)
                       .arg(m.result->settings.hardware.dram.banks);
        painter.drawText(r.adjusted(0, fm.height(), 0, 0), Qt::AlignTop | Qt::AlignRight,
                         fm.elidedText(unit, Qt::ElideRight, r.width()));
    }
    painter.restore();
}

/// Stacked bar of a core's cycles and the two figures that matter most.
void paintBreakdown(QPainter& painter, const NpuChartModel& m, const NpuLane& lane, const QRectF& row,
                    const Theme& theme)
{
    const npu::CoreRun& core = m.result->run->cores[lane.core];
    const double makespan = static_cast<double>(std::max<npu::Cycle>(1, m.result->run->makespan));
    const QRectF bar(row.left(), lane.rect.top() + 3, row.width(), std::max(4.0, lane.rect.height() - 6));
    double x = bar.left();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        const double w = bar.width() * static_cast<double>(core.cycles[s]) / makespan;
        const double end = s + 1 == npu::kCoreStates ? bar.right() : std::round(x + w);
        if (core.cycles[s] > 0 && end > std::round(x))
            fillState(painter, QRectF(std::round(x), bar.top(), end - std::round(x), bar.height()),
                      static_cast<npu::CoreState>(s), theme);
        x += w;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.outline, 1));
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
}

void paintFacts(QPainter& painter, const NpuChartModel& m, const NpuPlaces& p, const NpuChartOptions& options,
                const NpuVisible& visible, const Theme& theme)
{
    if (p.facts.isEmpty())
        return;
    const npu::NpuRun& run = *m.result->run;
    const npu::NpuHardware& hw = m.result->settings.hardware;
    const double makespan = static_cast<double>(std::max<npu::Cycle>(1, run.makespan));
    painter.save();
    painter.setClipRect(p.facts, Qt::IntersectClip);
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    double below = -1e9;
    const bool singleBursts = showsSingleBursts(m, visible);
    for (const NpuLane& lane : p.lanes) {
        const QRectF row(p.facts.left(), lane.rect.top(), p.facts.width(), lane.rect.height());
        QStringList lines;
        switch (lane.kind) {
        case NpuLaneKind::State:
            paintBreakdown(painter, m, lane, row, theme);
            continue;
        case NpuLaneKind::Engines: {
            const npu::CoreRun& core = run.cores[lane.core];
            lines << tr("busy %1").arg(percent(
                static_cast<double>(core.of(npu::CoreState::Tensor) + core.of(npu::CoreState::Vector)) /
                makespan));
            break;
        }
        case NpuLaneKind::Dma: {
            const npu::CoreRun& core = run.cores[lane.core];
            auto worst = npu::CoreState::WaitSpm;
            for (const auto s : {npu::CoreState::WaitNoc, npu::CoreState::WaitDram,
                                 npu::CoreState::WaitDependency, npu::CoreState::Idle})
                if (core.of(s) > core.of(worst))
                    worst = s;
            if (core.of(worst) > 0)
                lines << stateName(worst) + QLatin1Char(' ') +
                             percent(static_cast<double>(core.of(worst)) / makespan);
            break;
        }
        case NpuLaneKind::Spm: {
            const std::int64_t peak = m.result->spmPeaks[lane.core];
            lines << tr("peak %1").arg(byteText(peak)) << tr("of %1").arg(byteText(hw.spmBytes));
            break;
        }
        case NpuLaneKind::Dram:
            lines << tr("peak %1 bytes a cycle").arg(number(hw.dram.bytesPerCycle * hw.dram.channels))
                  << tr("buses busy %1").arg(percent(run.dramUtilization()))
                  << tr("%1 moved").arg(byteText(run.dramBytes));
            break;
        case NpuLaneKind::Banks: {
            const double groups = static_cast<double>(std::max<std::int64_t>(1, run.rowHits + run.rowMisses));
            lines << tr("row hits %1").arg(percent(static_cast<double>(run.rowHits) / groups))
                  << tr("misses %1").arg(number(run.rowMisses))
                  << (singleBursts     ? tr("each group of bursts:")
                      : options.misses ? tr("colour: row misses")
                                       : tr("colour: bytes a cycle"));
            break;
        }
        case NpuLaneKind::Noc:
            lines << tr("trunk %1, link %2").arg(number(hw.trunkBytesPerCycle), number(hw.linkBytesPerCycle))
                  << tr("mean %1").arg(number(m.noc->mean(0, makespan)));
            break;
        case NpuLaneKind::Ready: {
            lines << tr("at most %1").arg(number(m.result->readyPeak));
            break;
        }
        }
        painter.setPen(theme.muted);
        double y = lane.rect.top() + (lines.size() == 1 ? (lane.rect.height() - fm.height()) / 2 : 0);
        for (const QString& line : lines) {
            if (y + fm.ascent() > lane.rect.bottom() + 3 || y + fm.descent() < below)
                break;
            painter.drawText(QPointF(row.left(), y + fm.ascent()),
                             fm.elidedText(line, Qt::ElideRight, row.width()));
            y += fm.height();
            below = y;
        }
        // The scale of the heat map.
        if (lane.kind == NpuLaneKind::Banks && y + 24 + fm.height() < lane.rect.bottom()) {
            if (singleBursts) {
                double x = row.left();
                for (const auto& [fill, text] :
                     {std::pair(theme.loadTime, tr("hit")), std::pair(theme.computeTime, tr("miss"))}) {
                    painter.fillRect(QRectF(x, y + 4, 11, 9), fill);
                    if (fill == theme.computeTime) // the notch that tells it without the colour
                        painter.fillRect(QRectF(x, y + 4, 2, 9), theme.text);
                    painter.drawText(QPointF(x + 15, y + 1 + fm.ascent()), text);
                    x += 15 + fm.horizontalAdvance(text) + 12;
                }
                continue;
            }
            const QRectF ramp(row.left(), y + 5, std::min(110.0, row.width()), 9);
            float most = 0;
            for (const BankCell& c : visible.current.banks)
                most = std::max(most, c.bytesPerCycle);
            painter.setRenderHint(QPainter::Antialiasing, false);
            for (int i = 0; i < static_cast<int>(ramp.width()); ++i) {
                const double at = i / ramp.width();
                const BankCell cell{static_cast<float>(at) * most, static_cast<float>(at)};
                painter.fillRect(QRectF(ramp.left() + i, ramp.top(), 1, ramp.height()),
                                 bankColour(cell, static_cast<double>(most), options.misses, theme));
            }
            painter.setRenderHint(QPainter::Antialiasing, true);
            painter.drawText(QPointF(ramp.left(), ramp.bottom() + fm.ascent() + 1), QStringLiteral("0"));
            const QString high = options.misses ? percent(1) : number(static_cast<double>(most));
            painter.drawText(
                QPointF(ramp.right() - fm.horizontalAdvance(high), ramp.bottom() + fm.ascent() + 1), high);
        }
    }
    painter.restore();
}

void verticalLine(QPainter& painter, const NpuPlaces& p, double x, const QPen& pen)
{
    if (x < p.plot.left() || x > p.plot.right())
        return;
    painter.setPen(pen);
    painter.drawLine(QPointF(std::round(x) + 0.5, p.plot.top()),
                     QPointF(std::round(x) + 0.5, p.plot.bottom()));
}

/// A small flag with text at the bottom of the plot.
void flag(QPainter& painter, const NpuPlaces& p, double x, const QString& text, const QColor& fill,
          const Theme& theme)
{
    if (x < p.plot.left() || x > p.plot.right())
        return;
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    const double w = fm.horizontalAdvance(text) + 10;
    QRectF r(x - w / 2, p.axis.top() + 3, w, fm.height() + 2);
    r.moveLeft(std::clamp(r.left(), p.plot.left(), std::max(p.plot.left(), p.plot.right() - w)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(r, 3, 3);
    painter.setPen(theme.inkOn(fill));
    painter.drawText(r, Qt::AlignCenter, text);
}

void paintOverview(QPainter& painter, const NpuChartModel& m, const NpuPlaces& p, const Axis& time,
                   const NpuVisible& visible, const Theme& theme)
{
    const QRectF& area = p.overview;
    const double scale = static_cast<double>(m.result->run->makespan) / m.total;
    painter.fillRect(area, Theme::mix(theme.canvas, theme.muted, 0.08));
    paintStateColumns(painter, visible.overview,
                      QRectF(area.left(), area.top(), area.width() * scale, area.height()), theme, false);
    paintVisibleRange(painter, area, m.total, time, theme);
}

} // namespace

void paintNpu(QPainter& painter, const NpuChartModel& m, const NpuPlaces& p, const NpuChartOptions& options,
              const Axis& time, const NpuVisible& visible, const Theme& theme, const NpuOverlay& overlay)
{
    paintTitle(painter, m, p.title, theme);
    painter.save();
    if (m.refused) // what is shown is not what is set
        painter.setOpacity(0.45);
    paintLegend(painter, m, p.legend, theme);
    painter.setFont(uiFont(0.9));
    painter.setPen(theme.text);
    painter.drawText(
        p.readout, Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(overlay.readout, Qt::ElideRight, p.readout.width()));
    paintLabels(painter, m, p, theme);
    paintFacts(painter, m, p, options, visible, theme);

    paintXAxis(painter, time, p.plot, tr("cycles"), theme);
    painter.save();
    painter.setClipRect(p.plot.adjusted(0, 0, 0, 1), Qt::IntersectClip);
    for (const NpuLane& lane : p.lanes)
        if (lane.rect.bottom() > p.plot.top() && lane.rect.top() < p.plot.bottom())
            paintNpuLane(painter, m, options, lane, time, visible, theme, overlay);
    if (overlay.measured)
        paintMeasured(painter, p.plot, time, *overlay.measured, QString(), theme);
    painter.restore();

    if (m.ghost) {
        const double end = static_cast<double>(m.ghost->run->makespan);
        verticalLine(painter, p, time.toPixel(end), QPen(theme.muted, 1, Qt::DashLine));
    }
    if (m.total > static_cast<double>(m.result->run->makespan))
        verticalLine(painter, p, time.toPixel(static_cast<double>(m.result->run->makespan)),
                     QPen(theme.text, 1));
    if (overlay.cursor) {
        const double x = time.toPixel(static_cast<double>(*overlay.cursor));
        verticalLine(painter, p, x, QPen(theme.accent, 2));
        flag(painter, p, x, number(*overlay.cursor), theme.accent, theme);
    }
    if (overlay.hover)
        verticalLine(painter, p, time.toPixel(*overlay.hover), QPen(theme.text, 1));
    paintOverview(painter, m, p, time, visible, theme);
    painter.restore();
}

} // namespace tilewright::ui
