// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/wavefront_model.h"

#include "theme/text.h"
#include "theme/theme.h"
#include "views/systolic/gantt_model.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

QString element(QLatin1Char matrix, std::int64_t i, std::int64_t j)
{
    return QStringLiteral("%1[%2,%3]").arg(matrix).arg(i).arg(j);
}

std::int64_t tickOf(const SystolicDocument& state, std::int64_t cycle)
{
    const Simulation* s = state.simulation();
    return s && s->clock ? s->clock->ticksBefore(cycle) : cycle;
}

std::int64_t cycleOf(const SystolicDocument& state, std::int64_t tick)
{
    const Simulation* s = state.simulation();
    return s && s->clock ? s->clock->cycleOfTick(tick) : tick;
}

} // namespace

QString westOperand(Dataflow dataflow, const PeActivity& w)
{
    return dataflow == Dataflow::Is ? element(QLatin1Char('B'), w.k, w.n)
                                    : element(QLatin1Char('A'), w.m, w.k);
}

QString northOperand(Dataflow dataflow, const PeActivity& w)
{
    return dataflow == Dataflow::Os ? element(QLatin1Char('B'), w.k, w.n)
                                    : element(QLatin1Char('C'), w.m, w.n);
}

WavefrontModel buildWavefront(const SystolicDocument& state, const WavefrontOptions& options)
{
    const SystolicSettings& s = state.settings();
    const FoldPlan& plan = state.plan();
    Simulation* sim = state.simulation();
    WavefrontModel m;
    m.rows = s.hierarchy.array.rows;
    m.cols = s.hierarchy.array.cols;
    while (ceilDiv(m.rows, m.step) * ceilDiv(m.cols, m.step) > options.mostCells)
        ++m.step;
    m.shownRows = ceilDiv(m.rows, m.step);
    m.shownCols = ceilDiv(m.cols, m.step);
    const std::int64_t side = std::max(m.shownRows, m.shownCols);
    m.lead = std::clamp<std::int64_t>(side / 4, 4, 32);
    m.dataflow = s.timing.dataflow;
    m.stream = plan.stream();

    m.cycles = state.cycles();
    m.cycle = std::clamp<std::int64_t>(state.cycle(), 0, m.cycles - 1);
    m.tick = tickOf(state, m.cycle);
    if (sim && sim->clock) {
        m.stall = sim->clock->stallAt(m.cycle);
        m.stalledCycles = sim->clock->stalledCycles();
        m.westFifo = sim->clock->occupancy(EdgeSide::West, m.cycle);
        m.northFifo = sim->clock->occupancy(EdgeSide::North, m.cycle);
        m.fifoDepth = s.supply.depth;
    }
    m.active = m.stall ? 0 : plan.activePesAt(m.tick);
    m.phases = state.phases();
    m.phaseStart = plan.start(0);

    m.pes.reserve(static_cast<std::size_t>(m.shownRows * m.shownCols));
    for (std::int64_t r = 0; r < m.shownRows; ++r)
        for (std::int64_t c = 0; c < m.shownCols; ++c) {
            // In a stalled cycle registers keep their values, so the work of the previous tick is shown.
            PeActivity pe = plan.peAt(m.stall ? m.tick - 1 : m.tick, r * m.step, c * m.step);
            if (m.stall)
                pe.active = false;
            m.pes.push_back(pe);
        }
    for (std::int64_t r = 0; r < m.shownRows; ++r)
        for (std::int64_t d = 0; d < m.lead; ++d)
            m.west.push_back(plan.peAt(m.tick + (d + (m.stall ? 0 : 1)) * m.step, r * m.step, 0));
    if (m.dataflow == Dataflow::Os)
        for (std::int64_t d = 0; d < m.lead; ++d)
            for (std::int64_t c = 0; c < m.shownCols; ++c)
                m.north.push_back(plan.peAt(m.tick + (d + (m.stall ? 0 : 1)) * m.step, 0, c * m.step));
    if (sim && sim->simulator && m.step == 1 && m.rows * m.cols <= options.mostValues) {
        sim->simulator->seek(m.cycle);
        m.registers.reserve(m.pes.size());
        for (std::int64_t r = 0; r < m.rows; ++r)
            for (std::int64_t c = 0; c < m.cols; ++c)
                m.registers.push_back(sim->simulator->pe(r, c));
    }

    const ArrayTiming& t = state.timing();
    m.title = tr("%1 × %2 × %3 on %4 × %5 PEs, %6")
                  .arg(number(s.gemm.m), number(s.gemm.n), number(s.gemm.k), number(m.rows), number(m.cols),
                       dataflowText(m.dataflow));
    m.origin = s.origin.empty() ? QString() : tr("from %1").arg(QString::fromStdString(s.origin));
    m.when = tr("cycle %1 of %2 · %3").arg(number(m.cycle), number(m.cycles), phaseName(m));
    m.figures = tr("%1 · utilisation %2 · %3 · mapping %4")
                    .arg(counted(t.cycles, tr("cycle"), tr("cycles")), percent(t.utilization),
                         counted(t.folds, tr("fold"), tr("folds")), percent(t.mappingEfficiency));
    if (m.stalledCycles > 0)
        m.figures +=
            tr(" · %1 stalled at the edges").arg(counted(m.stalledCycles, tr("cycle"), tr("cycles")));
    if (!t.readoutHidden)
        m.warning = tr("K is smaller than the number of rows: the read-out of results is not hidden.");
    else if (sim && !sim->note.isEmpty())
        m.warning = sim->note;
    else if (m.step > 1)
        m.warning = tr("Thinned: one PE represents %1 × %1.").arg(m.step);
    return m;
}

QString phaseName(const WavefrontModel& m)
{
    if (m.stall)
        return m.stall->side == EdgeSide::West ? tr("stalled: FIFO of row %1 is empty").arg(m.stall->lane)
                                               : tr("stalled: FIFO of column %1 is empty").arg(m.stall->lane);
    // Phases start at cycle 0: with WS and IS, the first block is loaded during the fill.
    const std::int64_t t = m.tick;
    if (t < m.phaseStart)
        return tr("loading the first block");
    if (!m.phases)
        return tr("running");
    if (t < m.phases->fill)
        return tr("fill");
    if (t < m.phases->fill + m.phases->steady)
        return tr("steady");
    if (t < m.phases->fill + m.phases->steady + m.phases->drain)
        return tr("drain");
    return tr("shifting results out");
}

std::array<std::int64_t, 3> phaseCycles(const SystolicDocument& state)
{
    const std::int64_t first = state.plan().start(0);
    if (!state.phases())
        return {first, first, state.cycles() - 1};
    const ArrayPhases& p = *state.phases();
    return {cycleOf(state, first), cycleOf(state, p.fill),
            std::min(cycleOf(state, p.fill + p.steady), state.cycles() - 1)};
}

PeFacts peFacts(const SystolicDocument& state, const PePosition& at)
{
    PeFacts f;
    const SystolicSettings& s = state.settings();
    const FoldPlan& plan = state.plan();
    const Dataflow dataflow = s.timing.dataflow;
    const std::int64_t cycle = std::clamp<std::int64_t>(state.cycle(), 0, state.cycles() - 1);
    const std::int64_t tick = tickOf(state, cycle);
    Simulation* sim = state.simulation();
    const bool stalled = sim && sim->clock && sim->clock->stallAt(cycle);
    const PeActivity pe = plan.peAt(stalled ? tick - 1 : tick, at.row, at.col);
    f.title = tr("PE (row %1, column %2)").arg(at.row).arg(at.col);
    const auto add = [&](const char* label, const QString& value) { f.lines.emplace_back(tr(label), value); };
    if (pe.fold < 0) {
        add("state", tr("waits for its first operand"));
        return f;
    }
    const Fold fold = plan.fold(pe.fold);
    add("fold", tr("%1 of %2, %3 × %4 PEs").arg(pe.fold + 1).arg(plan.folds()).arg(fold.rows).arg(fold.cols));
    if (at.row >= fold.rows || at.col >= fold.cols) {
        add("state", tr("outside the block of this fold"));
        return f;
    }
    const std::int64_t done = std::clamp<std::int64_t>(
        (stalled ? tick - 1 : tick) - at.row - at.col - fold.start + 1, 0, plan.stream());
    if (stalled)
        add("state", tr("stalled: an edge FIFO is empty"));
    else
        add("state", pe.active ? tr("multiplies and adds") : tr("idle: its stream has ended"));
    if (pe.active || stalled) {
        add("MAC", tr("%1 += %2 × %3")
                       .arg(element(QLatin1Char('C'), pe.m, pe.n), element(QLatin1Char('A'), pe.m, pe.k),
                            element(QLatin1Char('B'), pe.k, pe.n)));
    }
    add("progress", tr("%1 of %2 operands").arg(done).arg(plan.stream()));
    if (sim && sim->simulator) {
        sim->simulator->seek(cycle);
        const PeRegisters r = sim->simulator->pe(at.row, at.col);
        const bool os = dataflow == Dataflow::Os;
        add("west in", pe.active
                           ? QStringLiteral("%1 = %2").arg(westOperand(dataflow, pe), exactNumber(r.west))
                           : exactNumber(r.west));
        if (os) {
            add("north in",
                pe.active ? QStringLiteral("%1 = %2").arg(northOperand(dataflow, pe), exactNumber(r.north))
                          : exactNumber(r.north));
            add("accumulator", exactNumber(r.accumulator));
            add("shadow", exactNumber(r.shadow));
        } else {
            add("stationary", exactNumber(r.accumulator));
            add("next block", exactNumber(r.shadow));
            add("sum moving south", exactNumber(r.north));
        }
    }
    return f;
}

UtilisationColumns utilisation(const SystolicDocument& state, std::int64_t from, std::int64_t to, int width)
{
    constexpr std::int64_t kSwept = 1 << 20;
    UtilisationColumns out;
    if (width <= 0 || to <= from)
        return out;
    const FoldPlan& plan = state.plan();
    const Simulation* sim = state.simulation();
    const EdgeClock* clock = sim && sim->clock ? &*sim->clock : nullptr;
    const double pes = static_cast<double>(plan.array().rows * plan.array().cols);
    out.mean.assign(static_cast<std::size_t>(width), 0);
    out.stalled.assign(static_cast<std::size_t>(width), false);
    out.sampled = to - from > kSwept;
    const double perColumn = static_cast<double>(to - from) / width;
    std::vector<std::int64_t> swept;
    std::int64_t sweptFrom = 0;
    if (!out.sampled) {
        sweptFrom = clock ? clock->ticksBefore(from) : from;
        plan.sweepActivity(sweptFrom, (clock ? clock->ticksBefore(to) : to) + 1, swept);
    }
    for (int x = 0; x < width; ++x) {
        const auto a = from + static_cast<std::int64_t>(std::floor(x * perColumn));
        auto b = std::max(a + 1, from + static_cast<std::int64_t>(std::floor((x + 1) * perColumn)));
        const auto column = static_cast<std::size_t>(x);
        if (out.sampled) {
            b = std::min(b, a + 64);
            const std::int64_t ta = clock ? clock->ticksBefore(a) : a;
            plan.sweepActivity(ta, ta + (b - a), swept);
            double sum = 0;
            for (std::int64_t t = 0; t < b - a; ++t)
                sum += static_cast<double>(swept[static_cast<std::size_t>(t)]);
            out.mean[column] = sum / pes / static_cast<double>(b - a);
            continue;
        }
        double sum = 0;
        for (std::int64_t c = a; c < b; ++c) {
            if (clock && clock->stallAt(c)) {
                out.stalled[column] = true;
                continue;
            }
            const std::int64_t tick = clock ? clock->ticksBefore(c) : c;
            sum += static_cast<double>(swept[static_cast<std::size_t>(tick - sweptFrom)]);
        }
        out.mean[column] = sum / pes / static_cast<double>(b - a);
    }
    return out;
}

namespace {

/// Cache of the columns that were computed last; the curve and the marks below it use the same ones.
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

/// Paints the names of the phases (fill, steady, drain) with lines between them. The name under the cursor
/// moves aside.
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

/// Describes the state of the array in a cycle in one line.
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
    out.most = 1000; // no practical limit: the lanes fill the available height
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
