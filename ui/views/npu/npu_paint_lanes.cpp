// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/number.h"
#include "theme/words.h"
#include "views/npu/npu_paint.h"
#include "views/npu/npu_text.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Spans labelled or outlined one by one; beyond that they are too narrow anyway.
constexpr std::size_t kLabelledSpans = 3000;

template <typename Span, typename F> void forVisible(const std::vector<Span>& spans, const Axis& time, F&& f)
{
    auto it = std::partition_point(spans.begin(), spans.end(),
                                   [&](const Span& s) { return static_cast<double>(s.end) <= time.v0; });
    for (std::size_t n = 0;
         it != spans.end() && static_cast<double>(it->start) < time.v1 && n < kLabelledSpans; ++it, ++n)
        f(*it);
}

template <typename Span> QRectF spanRect(const Span& s, const QRectF& rect, const Axis& time)
{
    const double x0 = std::max(rect.left(), std::round(time.toPixel(static_cast<double>(s.start))));
    const double x1 = std::min(rect.right(), std::round(time.toPixel(static_cast<double>(s.end))));
    return {x0, rect.top(), x1 - x0, rect.height()};
}

void spanLabel(QPainter& painter, const QRectF& r, const QString& text, const QColor& ink)
{
    if (r.width() < 34 || r.height() < 11)
        return;
    painter.setFont(uiFont(0.85));
    const QFontMetricsF fm(painter.font());
    if (fm.height() > r.height() + 3)
        return;
    const QString shown = fm.elidedText(text, Qt::ElideRight, r.width() - 8);
    if (shown.size() < 3)
        return;
    painter.setPen(ink);
    painter.drawText(r.adjusted(4, 0, -4, 0), Qt::AlignVCenter | Qt::AlignLeft, shown);
}

/// What a wait is for, in few words.
QString shortReason(const NpuResult& r, std::size_t core, const npu::StateSpan& s)
{
    if (s.state == npu::CoreState::WaitDependency) {
        const NpuBlocker b = blockerOf(r, core, s);
        return b.blocker == npu::kNone ? stateName(s.state)
                                       : tr("waits for %1").arg(nodeText(*r.graph, b.blocker));
    }
    if (s.tile != npu::kNone)
        return (s.state == npu::CoreState::WaitNoc ? tr("NoC: %1") : tr("DRAM: %1"))
            .arg(tileText(*r.graph, s.tile));
    return stateName(s.state);
}

void paintStates(QPainter& painter, const NpuChartModel& m, const NpuLane& lane, const Axis& time,
                 const NpuVisible& visible, const Theme& theme, const NpuOverlay& overlay)
{
    QRectF rect = lane.rect;
    const bool ghost = lane.core < visible.ghost.cores.size();
    if (ghost) { // the old run is a strip below
        const double strip = std::max(3.0, std::round(rect.height() * 0.24));
        rect.setBottom(rect.bottom() - strip - 1);
        paintStateColumns(painter, visible.ghost.cores[lane.core].states,
                          QRectF(rect.left(), rect.bottom() + 1, rect.width(), strip), theme, false);
    }
    if (lane.core < visible.current.cores.size())
        paintStateColumns(painter, visible.current.cores[lane.core].states, rect, theme, true);
    const npu::CoreRun& core = m.result->run->cores[lane.core];
    const double perPixel = (time.v1 - time.v0) / (time.p1 - time.p0);
    forVisible(core.states, time, [&](const npu::StateSpan& s) {
        if (static_cast<double>(s.end - s.start) < 3 * perPixel)
            return;
        const QRectF r = spanRect(s, rect, time);
        const bool work = s.state == npu::CoreState::Tensor || s.state == npu::CoreState::Vector;
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRectF(r.right() - 1, r.top(), 1, r.height()),
                         Theme::mix(stateColour(s.state, theme), theme.canvas, 0.75));
        painter.setRenderHint(QPainter::Antialiasing, true);
        if (s.state == npu::CoreState::Idle)
            return;
        const QColor fill = stateColour(s.state, theme);
        if (!work && r.width() >= 34 && rect.height() >= 11) {
            // Letters on a pattern need a plain ground.
            const QFontMetricsF fm(uiFont(0.85));
            const QString text =
                fm.elidedText(shortReason(*m.result, lane.core, s), Qt::ElideRight, r.width() - 8);
            if (text.size() >= 3)
                painter.fillRect(QRectF(r.left() + 2, r.top() + 1,
                                        std::min(r.width() - 4, fm.horizontalAdvance(text) + 4),
                                        r.height() - 2),
                                 fill);
            spanLabel(painter, r, text, theme.inkOn(fill));
        } else if (work) {
            spanLabel(painter, r, nodeText(*m.result->graph, s.node), theme.inkOn(fill));
        }
    });
    for (const auto& [node, width] : {std::pair(overlay.hoverNode, 1.0), std::pair(overlay.node, 2.0)}) {
        if (!node)
            continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.accent, width));
        forVisible(core.states, time, [&, wanted = *node](const npu::StateSpan& s) {
            if (s.node == wanted) {
                QRectF r = spanRect(s, rect, time);
                r.setWidth(std::max(r.width(), 3.0));
                painter.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
            }
        });
    }
}

/// Two half-height rows: shares of the column, or single spans when they are wide enough.
template <typename Span>
void paintBusy(QPainter& painter, const NpuChartModel& m, const std::vector<Span>& spans,
               const std::vector<float>& share, const QRectF& rect, const Axis& time, const QColor& colour,
               const Theme& theme, const NpuOverlay& overlay)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(rect, Theme::mix(theme.canvas, theme.muted, 0.06));
    const auto n = static_cast<int>(share.size());
    for (int x = 0; x < n;) {
        const float v = share[static_cast<std::size_t>(x)];
        int end = x + 1;
        while (end < n && std::abs(share[static_cast<std::size_t>(end)] - v) < 0.01F)
            ++end;
        // A little use is never invisible.
        const double h = v <= 0 ? 0 : std::max(1.0, std::round(static_cast<double>(v) * rect.height()));
        if (h > 0)
            painter.fillRect(QRectF(rect.left() + x, rect.bottom() - h, end - x, h), colour);
        x = end;
    }
    const double perPixel = (time.v1 - time.v0) / (time.p1 - time.p0);
    forVisible(spans, time, [&](const Span& s) {
        if (static_cast<double>(s.end - s.start) < 4 * perPixel)
            return;
        const QRectF r = spanRect(s, rect, time);
        painter.fillRect(QRectF(r.right() - 1, r.top(), 1, r.height()), theme.canvas);
        if (overlay.node == s.node)
            painter.fillRect(QRectF(r.left(), r.bottom() - 2, r.width(), 2), theme.accent);
    });
    painter.setRenderHint(QPainter::Antialiasing, true);
    Q_UNUSED(m)
}

/// Area of `values` (0..high) with a line on top; the ghost as a dashed line.
template <typename T, typename F>
void paintArea(QPainter& painter, const std::vector<T>& values, const QRectF& rect, double high,
               const QColor& colour, F&& value)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t x = 0; x < values.size();) {
        const double v = value(values[x]);
        std::size_t end = x + 1;
        while (end < values.size() && value(values[end]) == v)
            ++end;
        const double h = v <= 0 ? 0 : std::max(1.0, std::round(v / high * rect.height()));
        if (h > 0)
            painter.fillRect(QRectF(rect.left() + static_cast<double>(x), rect.bottom() - h,
                                    static_cast<double>(end - x), h),
                             colour);
        x = end;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

template <typename T, typename F>
void paintGhostLine(QPainter& painter, const std::vector<T>& values, const QRectF& rect, double high,
                    const Theme& theme, F&& value)
{
    if (values.empty())
        return;
    QPainterPath path;
    double before = -1;
    for (std::size_t x = 0; x < values.size(); ++x) {
        const double v = value(values[x]);
        if (v == before)
            continue;
        const QPointF at(rect.left() + static_cast<double>(x), rect.bottom() - v / high * rect.height());
        if (before < 0) {
            path.moveTo(at);
        } else {
            path.lineTo(at.x(), rect.bottom() - before / high * rect.height());
            path.lineTo(at);
        }
        before = v;
    }
    path.lineTo(rect.right(), rect.bottom() - before / high * rect.height());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::mix(theme.canvas, theme.text, 0.7), 1, Qt::DashLine));
    painter.drawPath(path);
}

void frame(QPainter& painter, const QRectF& rect, const Theme& theme)
{
    painter.fillRect(rect, Theme::mix(theme.canvas, theme.muted, 0.05));
    painter.setPen(QPen(theme.grid, 1));
    painter.drawLine(QPointF(rect.left(), rect.bottom() + 0.5), QPointF(rect.right(), rect.bottom() + 0.5));
}

void limitLine(QPainter& painter, const QRectF& rect, double y, const Theme& theme)
{
    QPen pen(theme.text, 1);
    pen.setDashPattern({5, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(rect.left(), std::round(y) + 0.5), QPointF(rect.right(), std::round(y) + 0.5));
}

void paintSpm(QPainter& painter, const NpuChartModel& m, const NpuLane& lane, const NpuVisible& visible,
              const Theme& theme)
{
    frame(painter, lane.rect, theme);
    const double high = static_cast<double>(m.result->settings.hardware.spmBytes);
    if (lane.core < visible.current.cores.size()) {
        const auto& spm = visible.current.cores[lane.core].spm;
        paintArea(painter, spm, lane.rect, high, Theme::mix(theme.canvas, theme.resident, 0.5),
                  [](const MinMax& v) { return static_cast<double>(v.high); });
        paintArea(painter, spm, lane.rect, high, theme.resident,
                  [](const MinMax& v) { return static_cast<double>(v.low); });
    }
    if (lane.core < visible.ghost.cores.size())
        paintGhostLine(painter, visible.ghost.cores[lane.core].spm, lane.rect, high, theme,
                       [](const MinMax& v) { return static_cast<double>(v.high); });
    limitLine(painter, lane.rect, lane.rect.top(), theme);
}

/// Single groups of bursts: length of the bus time, a notch and a paler fill for a row miss.
void paintEvents(QPainter& painter, const NpuChartModel& m, const QRectF& rect, const Axis& time,
                 const Theme& theme)
{
    const npu::NpuRun& run = *m.result->run;
    const auto rows = static_cast<double>(run.hardware.dram.channels * run.hardware.dram.banks);
    const double row = rect.height() / rows;
    const npu::Cycle longest = run.hardware.dram.interleaveBytes / run.hardware.dram.burstBytes *
                               run.hardware.dram.busCyclesPerBurst();
    auto it =
        std::lower_bound(run.dramEvents.begin(), run.dramEvents.end(), time.v0 - static_cast<double>(longest),
                         [](const npu::DramEvent& e, double t) { return static_cast<double>(e.start) < t; });
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (; it != run.dramEvents.end() && static_cast<double>(it->start) < time.v1; ++it) {
        const double y = rect.top() + row * (it->channel * run.hardware.dram.banks + it->bank);
        const QRectF r = spanRect(*it, QRectF(rect.left(), y, rect.width(), std::max(1.0, row - 0.5)), time);
        if (r.width() <= 0)
            continue;
        painter.fillRect(r, it->rowHit ? theme.loadTime : theme.computeTime);
        if (it->isStore && r.height() >= 3) // stores carry a line
            painter.fillRect(QRectF(r.left(), r.center().y(), r.width(), 1), theme.canvas);
        // Bursts of a group.
        const double one = r.width() / std::max<double>(1, it->bursts);
        if (it->bursts > 1 && one >= 5)
            for (std::uint32_t b = 1; b < it->bursts; ++b)
                painter.fillRect(QRectF(r.left() + one * b, r.top(), 1, r.height()), theme.canvas);
        if (!it->rowHit && r.width() >= 4)
            painter.fillRect(QRectF(r.left(), r.top(), 2, r.height()), theme.text);
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintBanks(QPainter& painter, const NpuChartModel& m, const NpuChartOptions& options, const QRectF& rect,
                const Axis& time, const NpuVisible& visible, const Theme& theme)
{
    const npu::DramHardware& dram = m.result->settings.hardware.dram;
    frame(painter, rect, theme);
    const auto rows = static_cast<std::size_t>(dram.channels * dram.banks);
    if (showsSingleBursts(m, visible)) {
        paintEvents(painter, m, rect, time, theme);
    } else if (visible.current.width > 0) {
        // An image of one pixel a cell: stretched, it costs the same at every zoom.
        const auto w = static_cast<std::size_t>(visible.current.width);
        QImage image(visible.current.width, static_cast<int>(rows), QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        float most = 0;
        for (const BankCell& c : visible.current.banks)
            most = std::max(most, c.bytesPerCycle);
        for (std::size_t r = 0; r < rows; ++r) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(r)));
            for (std::size_t x = 0; x < w; ++x) {
                const BankCell& cell = visible.current.banks[r * w + x];
                if (cell.bytesPerCycle > 0)
                    line[x] = bankColour(cell, static_cast<double>(most), options.misses, theme).rgb();
            }
        }
        painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter.drawImage(rect, image);
    }
    // Channels are told apart by lines.
    painter.setPen(QPen(theme.outline, 1));
    for (int c = 1; c < dram.channels; ++c) {
        const double y = std::round(rect.top() + rect.height() * c / dram.channels) + 0.5;
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
    }
}

} // namespace

bool showsSingleBursts(const NpuChartModel& m, const NpuVisible& visible)
{
    const NpuColumns& c = visible.current;
    return c.exactDram && c.width > 0 &&
           (c.to - c.from) / c.width <
               static_cast<double>(m.result->settings.hardware.dram.busCyclesPerBurst());
}

QColor bankColour(const BankCell& cell, double peak, bool misses, const Theme& theme)
{
    if (misses)
        return Theme::mix(theme.loadTime, theme.computeTime, static_cast<double>(cell.missShare));
    // The first tenth of the ramp is the canvas' own lightness.
    return theme.ramp(0.1 + 0.9 * (peak > 0 ? static_cast<double>(cell.bytesPerCycle) / peak : 0));
}

void paintStateColumns(QPainter& painter, const std::vector<StateColumn>& columns, const QRectF& rect,
                       const Theme& theme, bool patterns)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    std::array<std::vector<QRectF>, npu::kCoreStates> rects;
    for (const StateColumn& column : columns) {
        double y = rect.bottom();
        double sum = 0;
        for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
            if (column.share[s] <= 0)
                continue;
            sum += static_cast<double>(column.share[s]);
            const double top = sum > 0.999 ? rect.top() : std::round(rect.bottom() - sum * rect.height());
            if (top < y)
                rects[s].emplace_back(rect.left() + column.x, top, column.width, y - top);
            y = std::min(y, top);
        }
    }
    painter.setPen(Qt::NoPen);
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        if (rects[s].empty())
            continue;
        const auto state = static_cast<npu::CoreState>(s);
        const QColor fill = stateColour(state, theme);
        painter.setBrush(fill);
        painter.drawRects(rects[s].data(), static_cast<int>(rects[s].size()));
        if (patterns && statePattern(state) != Qt::NoBrush) {
            painter.setBrush(QBrush(Theme::mix(fill, theme.text, 0.3), statePattern(state)));
            painter.drawRects(rects[s].data(), static_cast<int>(rects[s].size()));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
}

void paintNpuLane(QPainter& painter, const NpuChartModel& m, const NpuChartOptions& options,
                  const NpuLane& lane, const Axis& time, const NpuVisible& visible, const Theme& theme,
                  const NpuOverlay& overlay)
{
    const npu::NpuRun& run = *m.result->run;
    const npu::NpuHardware& hw = m.result->settings.hardware;
    const auto value = [](float v) { return static_cast<double>(v); };
    const auto halves = [&](auto&& upper, auto&& lower) {
        const double h = std::floor((lane.rect.height() - 1) / 2);
        upper(QRectF(lane.rect.left(), lane.rect.top(), lane.rect.width(), h));
        lower(QRectF(lane.rect.left(), lane.rect.bottom() - h, lane.rect.width(), h));
    };
    const bool has = lane.core < visible.current.cores.size();
    switch (lane.kind) {
    case NpuLaneKind::State:
        paintStates(painter, m, lane, time, visible, theme, overlay);
        break;
    case NpuLaneKind::Engines:
        if (has)
            halves(
                [&](const QRectF& r) {
                    paintBusy(painter, m, run.cores[lane.core].tensor,
                              visible.current.cores[lane.core].tensor, r, time, theme.computeTime, theme,
                              overlay);
                },
                [&](const QRectF& r) {
                    paintBusy(painter, m, run.cores[lane.core].vector,
                              visible.current.cores[lane.core].vector, r, time, theme.category(7), theme,
                              overlay);
                });
        break;
    case NpuLaneKind::Dma:
        if (has)
            halves(
                [&](const QRectF& r) {
                    paintBusy(painter, m, run.cores[lane.core].loads, visible.current.cores[lane.core].load,
                              r, time, theme.loadTime, theme, overlay);
                },
                [&](const QRectF& r) {
                    paintBusy(painter, m, run.cores[lane.core].stores, visible.current.cores[lane.core].store,
                              r, time, theme.accumulator, theme, overlay);
                });
        break;
    case NpuLaneKind::Spm:
        paintSpm(painter, m, lane, visible, theme);
        break;
    case NpuLaneKind::Dram: {
        frame(painter, lane.rect, theme);
        const double high = static_cast<double>(hw.dram.bytesPerCycle) * hw.dram.channels * 1.06;
        paintArea(painter, visible.current.dram, lane.rect, high, theme.loadTime, value);
        paintGhostLine(painter, visible.ghost.dram, lane.rect, high, theme, value);
        limitLine(painter, lane.rect, lane.rect.bottom() - lane.rect.height() / 1.06, theme);
        break;
    }
    case NpuLaneKind::Banks:
        paintBanks(painter, m, options, lane.rect, time, visible, theme);
        break;
    case NpuLaneKind::Noc: {
        frame(painter, lane.rect, theme);
        const double high = static_cast<double>(hw.trunkBytesPerCycle) * 1.06;
        paintArea(painter, visible.current.noc, lane.rect, high,
                  Theme::mix(theme.canvas, theme.category(2), 0.8), value);
        paintGhostLine(painter, visible.ghost.noc, lane.rect, high, theme, value);
        limitLine(painter, lane.rect, lane.rect.bottom() - lane.rect.height() / 1.06, theme);
        break;
    }
    case NpuLaneKind::Ready: {
        frame(painter, lane.rect, theme);
        const std::int64_t most = std::max<std::int64_t>(1, m.result->readyPeak);
        const double high = static_cast<double>(most) * 1.06;
        paintArea(painter, visible.current.ready, lane.rect, high,
                  Theme::mix(theme.canvas, theme.category(1), 0.4),
                  [](const MinMax& v) { return static_cast<double>(v.high); });
        paintArea(painter, visible.current.ready, lane.rect, high, theme.category(1),
                  [](const MinMax& v) { return static_cast<double>(v.low); });
        paintGhostLine(painter, visible.ghost.ready, lane.rect, high, theme,
                       [](const MinMax& v) { return static_cast<double>(v.high); });
        break;
    }
    }
}

} // namespace tilewright::ui
