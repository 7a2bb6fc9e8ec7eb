// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_lanes.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/npu/npu_text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

static_assert(npu::kNone == Marks::kNoMark);

/// Reason of a wait in a few words.
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

Marks states(const NpuResult& r, std::size_t core)
{
    const std::vector<npu::StateSpan>& spans = r.run->cores[core].states;
    Marks m = marksOf(spans);
    m.shared = true;
    m.kinds = npu::kCoreStates;
    m.kind = [&spans](std::size_t i) { return static_cast<std::size_t>(spans[i].state); };
    m.style = [](std::size_t kind, const Theme& theme) {
        const auto state = static_cast<npu::CoreState>(kind);
        return MarkStyle{stateColour(state, theme), statePattern(state)};
    };
    m.label = [&r, &spans, core](std::size_t i) {
        const npu::StateSpan& s = spans[i];
        if (s.state == npu::CoreState::Idle)
            return QString();
        const bool works = s.state == npu::CoreState::Tensor || s.state == npu::CoreState::Vector;
        return works ? nodeText(*r.graph, s.node) : shortReason(r, core, s);
    };
    m.facts = [&r, &spans, core](std::size_t i) { return spanText(r, core, spans[i]); };
    m.tooltip = [&r, &spans, core](std::size_t i) {
        const QString text = spanTooltip(r, core, spans[i]);
        return spans[i].node == npu::kNone ? text
                                           : text + QStringLiteral("<hr>") + nodeTooltip(r, spans[i].node);
    };
    m.id = [&spans](std::size_t i) { return spans[i].node; };
    return m;
}

template <typename Span>
Marks busy(const std::vector<Span>& spans, std::function<QColor(const Theme&)> colour)
{
    Marks m = marksOf(spans);
    m.shared = true;
    m.style = [colour = std::move(colour)](std::size_t, const Theme& theme) {
        return MarkStyle{colour(theme)};
    };
    m.id = [&spans](std::size_t i) { return spans[i].node; };
    return m;
}

Marks engine(const NpuResult& r, std::size_t core, bool tensor)
{
    const auto& spans = tensor ? r.run->cores[core].tensor : r.run->cores[core].vector;
    Marks m = busy(spans, [tensor](const Theme& t) { return tensor ? t.computeTime : t.category(7); });
    m.facts = [&r, &spans, core, name = tensor ? tr("tensor") : tr("vector")](std::size_t i) {
        const npu::ComputeSpan& s = spans[i];
        return tr("core %1 · %2 engine · %3 · cycles %4 – %5 (%6)")
            .arg(QString::number(core), name, nodeText(*r.graph, s.node), number(s.start), number(s.end),
                 number(s.end - s.start));
    };
    return m;
}

QColor networkColour(const Theme& theme)
{
    return Theme::mix(theme.canvas, theme.category(2), 0.8);
}

Marks transfers(const NpuResult& r, std::size_t core, bool loads)
{
    const auto& spans = loads ? r.run->cores[core].loads : r.run->cores[core].stores;
    Marks m = busy(spans, [loads](const Theme& t) { return loads ? t.loadTime : t.accumulator; });
    if (r.run->passedBytes > 0 && loads) { // data that comes from other cores has the colour of the network
        m.kinds = 2;
        m.kind = [&spans](std::size_t i) { return std::size_t{spans[i].from >= 0}; };
        m.style = [](std::size_t kind, const Theme& t) {
            return MarkStyle{kind == 0 ? t.loadTime : networkColour(t)};
        };
    }
    m.facts = [&r, &spans, core, loads](std::size_t i) {
        const npu::TransferSpan& s = spans[i];
        const QString what = !loads       ? tr("stores")
                             : s.from < 0 ? tr("loads")
                                          : tr("gets from core %1").arg(s.from);
        QString text =
            tr("core %1 · %2 tile %3 for %4 · %5 · cycles %6 – %7")
                .arg(QString::number(core), what, tileText(*r.graph, s.tile), nodeText(*r.graph, s.node),
                     bytesText(npu::bytesMoved(*r.graph, s)), number(s.start), number(s.end));
        if (s.shared > 0)
            text += s.joined ? tr(" · with the read of another core")
                             : tr(" · %1 of them from the shared memory").arg(bytesText(s.shared));
        return text;
    };
    return m;
}

/// Paints the cycles of a core by state as a stacked bar.
void paintBreakdown(QPainter& painter, const npu::CoreRun& core, double makespan, const LaneFrame& f)
{
    const QRectF bar(f.rect.left(), f.rect.top() + 3, f.rect.width(), std::max(4.0, f.rect.height() - 6));
    double x = bar.left();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        const double w = bar.width() * static_cast<double>(core.cycles[s]) / makespan;
        const double end = s + 1 == npu::kCoreStates ? bar.right() : std::round(x + w);
        if (core.cycles[s] > 0 && end > std::round(x))
            fillState(painter, QRectF(std::round(x), bar.top(), end - std::round(x), bar.height()),
                      static_cast<npu::CoreState>(s), f.theme);
        x += w;
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(f.theme.outline, 1));
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
}

double makespanOf(const NpuResult& r)
{
    return static_cast<double>(std::max<npu::Cycle>(1, r.run->makespan));
}

Lane stateLane(const NpuChartModel& m, std::size_t c)
{
    const NpuResult& r = *m.result;
    Lane lane;
    lane.name = tr("Core %1").arg(c);
    lane.heading = true;
    lane.height = 22;
    lane.rows.push_back({{states(r, c)}});
    // The run of the baseline is a strip in the lower part of the lane.
    if (m.ghost && c < m.ghost->run->cores.size())
        lane.rows.push_back({{states(*m.ghost, c)}, 0.32, true});
    lane.paintFacts = [&core = r.run->cores[c], total = makespanOf(r)](
                          QPainter& painter, const LaneFrame& f) { paintBreakdown(painter, core, total, f); };
    lane.factsTooltip = QStringLiteral("<b>%1</b>").arg(lane.name);
    for (std::size_t s = 0; s < npu::kCoreStates; ++s)
        lane.factsTooltip += QStringLiteral("<br>") + tr("%1: %2 cycles")
                                                          .arg(stateName(static_cast<npu::CoreState>(s)),
                                                               number(r.run->cores[c].cycles[s]));
    return lane;
}

Lane unitLane(const QString& name, MarkRow upper, MarkRow lower)
{
    Lane lane;
    lane.name = name;
    lane.inner = true;
    lane.height = 15;
    lane.rows = {std::move(upper), std::move(lower)};
    return lane;
}

Lane engineLane(const NpuResult& r, std::size_t c)
{
    Lane lane = unitLane(tr("tensor, vector"), {{engine(r, c, true)}}, {{engine(r, c, false)}});
    lane.readout = [c](double time, double y) {
        return tr("core %1 · %2 engine idle at cycle %3")
            .arg(QString::number(c), y < 0.5 ? tr("tensor") : tr("vector"), number(std::floor(time)));
    };
    const npu::CoreRun& core = r.run->cores[c];
    lane.facts << tr("busy %1").arg(
        percent(static_cast<double>(core.of(npu::CoreState::Tensor) + core.of(npu::CoreState::Vector)) /
                makespanOf(r)));
    return lane;
}

Lane transferLane(const NpuResult& r, std::size_t c)
{
    Lane lane = unitLane(tr("load, store"), {{transfers(r, c, true)}}, {{transfers(r, c, false)}});
    lane.readout = [c](double time, double y) {
        return tr("core %1 · no %2 at cycle %3")
            .arg(QString::number(c), y < 0.5 ? tr("load") : tr("store"), number(std::floor(time)));
    };
    const npu::CoreRun& core = r.run->cores[c];
    auto worst = npu::CoreState::WaitSpm;
    for (const auto s : {npu::CoreState::WaitNoc, npu::CoreState::WaitDram, npu::CoreState::WaitDependency,
                         npu::CoreState::Idle})
        if (core.of(s) > core.of(worst))
            worst = s;
    if (core.of(worst) > 0)
        lane.facts << stateName(worst) + QLatin1Char(' ') +
                          percent(static_cast<double>(core.of(worst)) / makespanOf(r));
    return lane;
}

Lane curveLane(const QString& name, double height, double gap, Curve curve)
{
    Lane lane;
    lane.name = name;
    lane.inner = true;
    lane.height = height;
    lane.gap = gap;
    lane.curve = std::move(curve);
    return lane;
}

Curve::Columns steps(const std::vector<npu::TimedValue>& list, npu::Cycle runEnd)
{
    return [&list, runEnd](double from, double to, int width) {
        return stepColumns(list, from, to, width, runEnd);
    };
}

Lane spmLane(const NpuChartModel& m, std::size_t c)
{
    const NpuResult& r = *m.result;
    const std::int64_t bytes = r.settings.hardware.spmBytes;
    const npu::CoreRun& core = r.run->cores[c];
    Curve curve{steps(core.spm, r.run->makespan),
                {},
                [](const Theme& t) { return t.resident; },
                static_cast<double>(bytes),
                static_cast<double>(bytes)};
    if (m.ghost && c < m.ghost->run->cores.size())
        curve.ghost = steps(m.ghost->run->cores[c].spm, m.ghost->run->makespan);
    Lane lane = curveLane(tr("SPM"), 26, 9, std::move(curve));
    lane.readout = [&core, c, bytes](double time, double) {
        const auto t = static_cast<npu::Cycle>(std::floor(time));
        return tr("core %1 · SPM %2 of %3 at cycle %4")
            .arg(QString::number(c), bytesText(stepAt(core.spm, t)), bytesText(bytes), number(t));
    };
    lane.facts << tr("peak %1").arg(bytesText(r.spmPeaks[c])) << tr("of %1").arg(bytesText(bytes));
    return lane;
}

Lane dramLane(const NpuChartModel& m, const std::shared_ptr<DramCache>& cache)
{
    const NpuResult& r = *m.result;
    const npu::DramHardware& dram = r.settings.hardware.dram;
    const auto rate = static_cast<double>(dram.bytesPerCycle * dram.channels);
    const auto columns = [](std::shared_ptr<DramCache> of) {
        return [of = std::move(of)](double from, double to, int width) {
            std::vector<LowHigh> out;
            for (const float v : of->at(from, to, width).dram)
                out.push_back({static_cast<double>(v), static_cast<double>(v)});
            return out;
        };
    };
    Curve curve{columns(cache), {}, [](const Theme& t) { return t.loadTime; }, rate * 1.06, rate};
    if (m.ghost)
        curve.ghost = columns(std::make_shared<DramCache>(m.ghost));
    Lane lane = curveLane(tr("DRAM"), 56, 8, std::move(curve));
    lane.note = tr("bytes / cycle");
    lane.readout = [cache, rate](double time, double) {
        const auto bytes = cache->dramAt(time);
        return bytes ? tr("DRAM %1 of %2 bytes per cycle at cycle %3")
                           .arg(number(*bytes), number(rate), number(std::floor(time)))
                     : QString();
    };
    lane.facts << tr("peak %1 bytes per cycle").arg(number(rate))
               << tr("buses busy %1").arg(percent(r.run->dramUtilization()))
               << tr("%1 moved").arg(bytesText(r.run->dramBytes));
    return lane;
}

Curve::Columns columnsOf(std::shared_ptr<const RateCurve> curve)
{
    return [curve = std::move(curve)](double from, double to, int width) {
        std::vector<LowHigh> out;
        const double perPixel = (to - from) / std::max(1, width);
        for (int x = 0; x < width; ++x) {
            const double v = curve->mean(from + perPixel * x, from + perPixel * (x + 1));
            out.push_back({v, v});
        }
        return out;
    };
}

/// Lane for the data that comes from the memory shared by all cores instead of DRAM.
Lane sharedLane(const NpuChartModel& m)
{
    const npu::SharedHardware& hw = m.result->settings.hardware.shared;
    const auto rate = static_cast<double>(hw.readRate());
    const double top = std::max(rate, m.shared->peak);
    Curve curve{columnsOf(m.shared), {}, [](const Theme& t) { return t.resident; }, top * 1.06, rate};
    if (m.ghost && m.ghost->shared)
        curve.ghost = columnsOf(m.ghost->shared);
    Lane lane = curveLane(tr("Shared memory"), 46, 8, std::move(curve));
    lane.note = tr("bytes / cycle");
    lane.readout = [shared = m.shared, rate](double time, double) {
        return tr("shared memory %1 bytes per cycle to the cores at cycle %2, its reads %3 (every load at "
                  "its "
                  "mean rate)")
            .arg(number(shared->rateAt(time)), number(std::floor(time)), number(rate));
    };
    lane.facts << (hw.hasTwoPorts()
                       ? tr("reads %1, writes %2").arg(number(hw.readRate()), number(hw.writeRate()))
                       : tr("one port of %1").arg(number(rate)))
               << tr("%1 delivered").arg(bytesText(m.result->run->sharedBytes));
    if (hw.multicast)
        lane.facts << tr("multicast %1").arg(bytesText(m.result->run->joinedBytes));
    return lane;
}

Lane nocLane(const NpuChartModel& m)
{
    const npu::NpuHardware& hw = m.result->settings.hardware;
    const auto rate = static_cast<double>(hw.trunkBytesPerCycle);
    Curve curve{columnsOf(m.noc), {}, networkColour, rate * 1.06, rate};
    if (m.ghost)
        curve.ghost = columnsOf(m.ghostNoc);
    Lane lane = curveLane(tr("NoC"), 46, 8, std::move(curve));
    lane.note = tr("bytes / cycle");
    lane.readout = [noc = m.noc, rate](double time, double) {
        return tr("NoC %1 of %2 bytes per cycle at cycle %3 (every transfer at its mean rate)")
            .arg(number(noc->rateAt(time)), number(rate), number(std::floor(time)));
    };
    lane.facts << tr("trunk %1, link %2").arg(number(hw.trunkBytesPerCycle), number(hw.linkBytesPerCycle))
               << tr("mean %1").arg(number(m.noc->mean(0, makespanOf(*m.result))));
    if (hw.coreToCore)
        lane.facts << tr("core to core %1").arg(bytesText(m.result->run->passedBytes));
    return lane;
}

Lane readyLane(const NpuChartModel& m)
{
    const NpuResult& r = *m.result;
    Curve curve{steps(r.run->readySet, r.run->makespan),
                {},
                [](const Theme& t) { return t.category(1); },
                static_cast<double>(std::max<std::int64_t>(1, r.readyPeak)) * 1.06,
                {}};
    if (m.ghost)
        curve.ghost = steps(m.ghost->run->readySet, m.ghost->run->makespan);
    Lane lane = curveLane(tr("Ready units"), 34, 0, std::move(curve));
    lane.readout = [&run = *r.run](double time, double) {
        const auto t = static_cast<npu::Cycle>(std::floor(time));
        const std::int64_t ready = stepAt(run.readySet, t);
        return ready > 0 ? tr("%1 ready at cycle %2: could start, but no core has taken them")
                               .arg(counted(ready, tr("unit"), tr("units")), number(t))
                         : tr("No unit waits for a core at cycle %1: each is taken as soon as it can start")
                               .arg(number(t));
    };
    lane.facts << (r.readyPeak > 0 ? tr("at most %1").arg(number(r.readyPeak)) : tr("none waits for a core"));
    return lane;
}

/// Paints the states of all cores into one strip.
std::function<void(QPainter&, const LaneFrame&)> overview(const NpuResultPtr& result, double total)
{
    struct Strip
    {
        int width = -1;
        std::vector<ShareColumn> columns;
    };
    return [result, total, strip = std::make_shared<Strip>()](QPainter& painter, const LaneFrame& f) {
        const QRectF rect(f.rect.left(), f.rect.top(), f.rect.width() * makespanOf(*result) / total,
                          f.rect.height());
        if (const int width = static_cast<int>(rect.width()); width != strip->width) {
            std::vector<float> sum(static_cast<std::size_t>(std::max(0, width)) * npu::kCoreStates);
            const auto part = 1.0F / static_cast<float>(result->run->cores.size());
            for (std::size_t c = 0; c < result->run->cores.size(); ++c)
                for (const ShareColumn& s : shareColumns(states(*result, c), 0, makespanOf(*result), width))
                    for (int x = s.x; x < s.x + s.width; ++x)
                        for (std::size_t k = 0; k < npu::kCoreStates; ++k)
                            sum[static_cast<std::size_t>(x) * npu::kCoreStates + k] += s.share[k] * part;
            *strip = {width, mergedShares(sum, npu::kCoreStates)};
        }
        paintShares(painter, strip->columns, states(*result, 0), rect, f.theme, false);
    };
}

/// Returns forms of the legend from long to short. For a narrow pane, first the numbers are left out, then
/// the states that do not occur.
std::vector<std::vector<ChartKey>> legends(const NpuResult& r, bool ghost, const Theme& theme)
{
    const double total = static_cast<double>(r.run->makespan) * static_cast<double>(r.run->cores.size());
    std::vector<std::vector<ChartKey>> forms(3);
    for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
        const auto state = static_cast<npu::CoreState>(s);
        ChartKey key = patchKey(stateName(state), stateColour(state, theme), theme, statePattern(state));
        forms[1].push_back(key);
        if (r.sums[s] > 0)
            forms[2].push_back(key);
        key.text += QLatin1Char(' ') + percent(total > 0 ? static_cast<double>(r.sums[s]) / total : 0);
        forms[0].push_back(key);
    }
    if (ghost)
        for (auto& form : forms)
            form.push_back(lineKey(tr("dashed / strip: earlier run"), QPen(theme.text, 1.4, Qt::DashLine)));
    return forms;
}

QString schedulerText(const npu::RunOptions& options)
{
    return QString::fromStdString(npu::policyText(options.scheduler, options.assignment))
        .replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// Text on a limiting resource of the run, and on the share of the time for which it is the limit.
QString limitText(const npu::Limit& limit)
{
    const QString share = percent(limit.share);
    switch (limit.what) {
    case npu::Limit::What::Dram:
        return tr("DRAM binds %1 of the time").arg(share);
    case npu::Limit::What::Tensor:
        return tr("the tensor engines bind %1 of the time").arg(share);
    case npu::Limit::What::Vector:
        return tr("the vector engines bind %1 of the time").arg(share);
    case npu::Limit::What::Wait:
        break;
    }
    switch (limit.wait) {
    case npu::CoreState::WaitSpm:
        return tr("the cores wait for room in SPM %1 of the time").arg(share);
    case npu::CoreState::WaitNoc:
        return tr("the cores wait for the network %1 of the time").arg(share);
    case npu::CoreState::WaitDram:
        return tr("the cores wait for DRAM %1 of the time").arg(share);
    case npu::CoreState::WaitDependency:
        return tr("the cores wait for other nodes %1 of the time").arg(share);
    default:
        return tr("the cores have no work %1 of the time").arg(share);
    }
}

QString headline(const NpuResult& r, std::optional<double> ofFloor)
{
    const QString cycles = counted(r.run->makespan, tr("cycle"), tr("cycles"));
    const double multiple = static_cast<double>(r.run->makespan) /
                            static_cast<double>(std::max<npu::Cycle>(r.bounds.lowerBound, 1));
    return tr("%1; %2").arg(ofFloor
                                ? tr("%1, %2 times the floor").arg(cycles, significantNumber(*ofFloor))
                                : tr("%1, %2 times the lower bound").arg(cycles, significantNumber(multiple)),
                            limitText(npu::limitOf(*r.run, r.bounds)));
}

} // namespace

NpuChartModel buildNpuChart(const NpuDocument& state, std::optional<double> ofFloor)
{
    NpuChartModel m;
    m.error = state.error();
    m.refused = state.isRefused();
    m.busy = state.isBusy();
    m.progress = state.progressText();
    m.result = state.result();
    if (m.busy && m.result && state.model() && m.result->model != state.model()) {
        m.awaited = QString::fromStdString(state.model()->name);
        m.stale = true;
    }
    if (!m.result) {
        m.hint = !m.error.isEmpty() ? m.error
                 : m.busy || state.model()
                     ? tr("Simulating …")
                     : tr("Open an NPU model (JSON) to see its tiles run on the cores.");
        return m;
    }
    m.ghost = state.ghost();
    m.noc = m.result->noc;
    m.shared = m.result->shared;
    m.total = static_cast<double>(m.result->run->makespan);
    const npu::NpuRun& run = *m.result->run;
    m.header = headline(*m.result, ofFloor);
    m.subject = tr("%1 · %2 · %3")
                    .arg(QString::fromStdString(m.result->graph->name), schedulerText(run.options),
                         counted(static_cast<std::int64_t>(run.cores.size()), tr("core"), tr("cores")));
    if (state.openOperators() > 0)
        m.subject +=
            m.result->graph->fewNodes ? tr(" · default tiles, one set of operands") : tr(" · default tiles");
    if (!m.result->cutAnew.isEmpty())
        m.subject += tr(" · tiles cut anew");
    if (m.ghost) {
        m.ghostNoc = m.ghost->noc;
        m.total = std::max(m.total, static_cast<double>(m.ghost->run->makespan));
        const double before = static_cast<double>(m.ghost->run->makespan);
        if (before > 0)
            m.subject += tr(" · %1 against %2 before")
                             .arg(signedPercent((static_cast<double>(run.makespan) - before) / before),
                                  number(m.ghost->run->makespan));
    }
    m.details = m.result->sentence.toHtmlEscaped();
    if (m.result->settings.best)
        m.details += QStringLiteral("<br><br>") +
                     tr("Scheduler: %1")
                         .arg(QString::fromStdString(npu::policySentence(run.options, m.result->schedulers)));
    if (ofFloor)
        m.details +=
            QStringLiteral("<br><br>") +
            tr("The floor: no lens takes fewer cycles for this model on so many cores of this machine. "
               "The lower bound is that of this graph of tiles.");
    m.total = std::max(m.total, 1.0);
    return m;
}

QString npuTitle(const NpuChartModel& m)
{
    if (!m.busy)
        return m.header;
    if (!m.awaited.isEmpty())
        return tr("Simulating %1 … %2").arg(m.awaited, m.progress).trimmed();
    return tr("%1 · simulating … %2").arg(m.header, m.progress).trimmed();
}

LaneModel npuLanes(const NpuChartModel& m, const NpuChartOptions& options)
{
    LaneModel out;
    out.hint = m.hint;
    if (!m.result)
        return out;
    const NpuResult& r = *m.result;
    out.keeps = std::make_shared<std::pair<NpuResultPtr, NpuResultPtr>>(m.result, m.ghost);
    out.title = npuTitle(m);
    out.sentence = !m.error.isEmpty()    ? m.error
                   : m.awaited.isEmpty() ? m.subject
                                         : tr("Pale: the run before, of %1").arg(m.subject);
    out.sentenceLines = 2;
    out.details = m.error.isEmpty() ? m.details : m.error.toHtmlEscaped();
    out.sentenceColour = [bad = !m.error.isEmpty()](const Theme& t) { return bad ? t.error : t.text; };
    out.legends = [result = m.result, ghost = m.ghost != nullptr](const Theme& t) {
        return legends(*result, ghost, t);
    };
    out.total = m.total;
    out.shortest = 16; // the narrowest visible range, in cycles: the time of a few DRAM bursts
    out.unit = tr("cycles");
    out.dimmed = m.refused || m.stale; // pale, because the result does not belong to the current settings
    out.least = 0.8;
    const QFontMetricsF fm(uiFont(0.85));
    out.labelWidth = std::max(84.0, fm.horizontalAdvance(tr("bytes / cycle")) + 10);
    out.factsWidth = std::max(148.0, fm.horizontalAdvance(tr("Wait dependency 00.0 %")) + 16);
    for (std::size_t c = 0; c < r.run->cores.size(); ++c) {
        out.lanes.push_back(stateLane(m, c));
        if (options.engines) {
            out.lanes.push_back(engineLane(r, c));
            out.lanes.push_back(transferLane(r, c));
        }
        out.lanes.push_back(spmLane(m, c));
    }
    const auto cache = std::make_shared<DramCache>(m.result);
    out.lanes.push_back(dramLane(m, cache));
    if (options.banks)
        out.lanes.push_back(npuBankLane(m, options.misses, cache));
    if (m.shared)
        out.lanes.push_back(sharedLane(m));
    out.lanes.push_back(nocLane(m));
    out.lanes.push_back(readyLane(m));
    for (Lane& lane : out.lanes)
        lane.readout = [readout = std::move(lane.readout), end = r.run->makespan](double time, double y) {
            return time >= static_cast<double>(end) ? tr("The run ends before cycle %1.").arg(number(end))
                   : readout                        ? readout(time, y)
                                                    : QString();
        };
    if (m.ghost)
        out.lines.push_back({static_cast<double>(m.ghost->run->makespan), true});
    if (m.total > static_cast<double>(r.run->makespan))
        out.lines.push_back({static_cast<double>(r.run->makespan), false});
    out.overview = overview(m.result, m.total);
    return out;
}

} // namespace tilewright::ui
