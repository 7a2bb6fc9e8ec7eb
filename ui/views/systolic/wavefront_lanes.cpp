// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/wavefront_lanes.h"

#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"
#include "views/systolic/wavefront_model.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

/// Cache of the last columns, used by the curve and by the marks below it.
struct Columns
{
    double from = 0, to = -1;
    int width = 0;
    UtilisationColumns columns;

    const UtilisationColumns& at(const SystolicDocument& state, double v0, double v1, int w)
    {
        if (from != v0 || to != v1 || width != w) {
            from = v0;
            to = v1;
            width = w;
            columns = utilisation(state, static_cast<std::int64_t>(std::floor(v0)),
                                  static_cast<std::int64_t>(std::ceil(v1)), w);
        }
        return columns;
    }
};

void paintStalls(QPainter& painter, const UtilisationColumns& columns, const LaneFrame& f)
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t x = 0; x < columns.stalled.size(); ++x)
        if (columns.stalled[x])
            painter.fillRect(QRectF(f.rect.left() + static_cast<double>(x), f.rect.bottom() - 4, 1, 4),
                             f.theme.error);
    painter.setRenderHint(QPainter::Antialiasing, true);
}

/// Paints the names of the phases (fill, steady, drain) and lines between them. A name under the cursor moves
/// aside.
void paintPhases(QPainter& painter, const std::array<std::int64_t, 3>& phases, double end, bool named,
                 double cursor, const LaneFrame& f)
{
    const double struck = f.time.toPixel(cursor);
    const QString names[] = {tr("fill"), tr("steady"), tr("drain")};
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    for (std::size_t i = 0; i < 3; ++i) {
        const double x = std::round(f.time.toPixel(static_cast<double>(phases[i])));
        const double next = f.time.toPixel(i < 2 ? static_cast<double>(phases[i + 1]) : end);
        if (i > 0 && x >= f.rect.left() && x <= f.rect.right()) {
            painter.setPen(QPen(f.theme.muted, 1, Qt::DashLine));
            painter.drawLine(QPointF(x, f.rect.top()), QPointF(x, f.rect.bottom()));
        }
        const double w = fm.horizontalAdvance(names[i]);
        double from = std::max(x, f.rect.left());
        if (struck > from && struck < from + w + 14)
            from = struck + 2;
        if (!named || std::min(next, f.rect.right()) - from <= w + 10)
            continue;
        const QRectF plate(from + 4, f.rect.top() + 2, w + 6, fm.height());
        painter.fillRect(plate, Theme::mix(f.theme.canvas, f.theme.text, 0.03));
        painter.setPen(f.theme.text);
        painter.drawText(plate, Qt::AlignCenter, names[i]);
    }
}

/// State of the array in a cycle, in one line.
QString cycleText(const SystolicDocument& state, double time)
{
    const auto cycle =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(time)), 0, state.cycles() - 1);
    const Simulation* sim = state.simulation();
    if (sim && sim->clock)
        if (const auto stall = sim->clock->stallAt(cycle))
            return tr("cycle %1: stalled, the FIFO of lane %2 is empty").arg(number(cycle)).arg(stall->lane);
    const std::int64_t tick = sim && sim->clock ? sim->clock->ticksBefore(cycle) : cycle;
    const std::int64_t active = state.plan().activePesAt(tick);
    const ArrayShape& array = state.settings().hierarchy.array;
    const auto all = static_cast<std::int64_t>(array.rows) * array.cols;
    return tr("cycle %1: %2 of %3 PEs active (%4)")
        .arg(number(cycle), number(active), number(all),
             percent(static_cast<double>(active) / static_cast<double>(all)));
}

} // namespace

LaneModel wavefrontLanes(const SystolicDocument& state)
{
    const SystolicSettings& s = state.settings();
    const std::int64_t cycles = state.cycles();
    const ArrayShape& array = s.hierarchy.array;
    const double mean = static_cast<double>(macs(s.gemm)) / static_cast<double>(array.rows * array.cols) /
                        static_cast<double>(cycles);
    const auto columns = std::make_shared<Columns>();
    LaneModel out;
    out.total = static_cast<double>(cycles);
    out.shortest = 8;
    out.unit = tr("cycle");
    out.readout = false;
    out.labelWidth = 0;
    out.most = 1000; // fills the available height
    Lane lane;
    lane.curve = Curve{[&state, columns](double from, double to, int width) {
                           std::vector<LowHigh> values;
                           for (const double v : columns->at(state, from, to, width).mean)
                               values.push_back({v, v});
                           return values;
                       },
                       {},
                       [](const Theme& t) { return Theme::mix(t.canvas, t.computeTime, 0.75); },
                       1,
                       mean};
    lane.paint = [&state, columns, phases = phaseCycles(state), end = static_cast<double>(cycles),
                  named = static_cast<bool>(state.phases())](QPainter& painter, const LaneFrame& f) {
        const UtilisationColumns& shown =
            columns->at(state, f.time.v0, f.time.v1, static_cast<int>(f.rect.width()));
        paintStalls(painter, shown, f);
        paintPhases(painter, phases, end, named, static_cast<double>(state.cycle()), f);
        if (shown.sampled) {
            painter.setPen(f.theme.muted);
            painter.drawText(f.rect.adjusted(0, 2, -4, 0), Qt::AlignRight | Qt::AlignTop, tr("(sampled)"));
        }
        painter.setPen(f.theme.outline);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(f.rect);
    };
    lane.readout = [&state](double time, double) { return cycleText(state, time); };
    out.lanes = {headingLane(tr("active PEs over time, mean %1").arg(percent(mean))), std::move(lane)};
    return out;
}

} // namespace tilewright::ui
