// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_lanes.h"

#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "workspace/texts.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

using ModelPtr = std::shared_ptr<const RunChartModel>;

constexpr std::size_t kHues = 8;     // number of colour categories for subgraphs
constexpr std::size_t kMostRows = 6; // maximum number of rows for steps or subgraphs that overlap in time
constexpr double kRowHeight = 11;    // natural height of a row, in pixels
constexpr double kUnitHeight = 30;
constexpr double kUnitHeightOfSeveral = 16; // height of a unit's lane in pixels if there are several cores

double endOf(const LiveRunResult& r)
{
    return std::max(r.run.end, 1e-300);
}

// -- bands -----------------------------------------------------------------------------------------------

std::vector<RunBandRow> rowsOfSubgraphs(const ScheduleRun& run)
{
    std::vector<RunBand> all;
    for (std::size_t i = 0; i < run.subgraphs.size(); ++i)
        all.push_back({run.subgraphs[i].begin, run.subgraphs[i].end, static_cast<std::uint32_t>(i)});
    std::ranges::stable_sort(all, {}, &RunBand::start);
    return bandRows(all, kMostRows);
}

std::vector<RunBandRow> rowsOfSteps(const ScheduleRun& run)
{
    std::vector<RunBand> all;
    all.reserve(run.steps.size());
    for (std::size_t i = 0; i < run.steps.size(); ++i)
        all.push_back({run.steps[i].admitted, run.steps[i].ended, static_cast<std::uint32_t>(i)});
    return bandRows(all, kMostRows); // steps are sorted by their admission
}

QString subgraphTooltip(const RunChartModel& m, std::size_t i)
{
    const RunSubgraph& s = m.result()->run.subgraphs[i];
    const Problem& problem = m.result()->problem();
    const RunDifference d = differenceOf(s);
    QStringList lines;
    lines << tr("<b>Subgraph %1</b> %2")
                 .arg(number(i),
                      fullOpNames(problem, m.result()->of->schedule.subgraphs[i]->ops).toHtmlEscaped());
    lines << tr("from %1 to %2, %3")
                 .arg(exactNumber(s.begin), exactNumber(s.end), counted(s.steps, tr("step"), tr("steps")));
    lines << tr("R10 %1, in the run %2 (%3)")
                 .arg(exactNumber(s.latency), exactNumber(s.length),
                      d.latency > 0 ? signedPercent(d.change() / d.latency) : signedNumber(d.change()));
    if (const QString why = differenceText(d); !why.isEmpty())
        lines << why;
    return lines.join(QStringLiteral("<br>"));
}

MarkRow subgraphRow(const ModelPtr& model, const RunBandRow& row)
{
    const RunChartModel& m = *model;
    Marks marks = marksOf(row);
    marks.kinds = kHues;
    marks.kind = [&m, &row](std::size_t i) { return m.category(SubgraphId(row[i].index)) % kHues; };
    marks.style = [](std::size_t kind, const Theme& theme) { return MarkStyle{theme.category(kind)}; };
    marks.label = [&m, &row](std::size_t i) {
        const OpNames names = shortOpNames(
            m.result()->problem(), m.result()->of->schedule.subgraphs[row[i].index]->ops, m.names.prefix);
        return QStringLiteral("%1 · %2%3")
            .arg(QString::number(row[i].index),
                 names.where.isEmpty() ? QString() : names.where + QLatin1Char('.'), names.names);
    };
    marks.facts = [&m, &row](std::size_t i) {
        const RunSubgraph& s = m.result()->run.subgraphs[row[i].index];
        return tr("subgraph %1 · %2 · R10 %3, in the run %4")
            .arg(number(row[i].index), spanText(s.begin, s.end), number(s.latency), number(s.length));
    };
    marks.tooltip = [&m, &row](std::size_t i) { return subgraphTooltip(m, row[i].index); };
    return {{marks}};
}

MarkRow stepRow(const ModelPtr& model, const RunBandRow& row)
{
    const RunChartModel& m = *model;
    const std::vector<RunStep>& steps = m.result()->run.steps;
    Marks marks = marksOf(row);
    marks.kinds = kHues;
    marks.kind = [&m, &row, &steps](std::size_t i) {
        return m.category(steps[row[i].index].subgraph) % kHues;
    };
    marks.style = [](std::size_t kind, const Theme& theme) {
        return MarkStyle{Theme::mix(theme.canvas, theme.category(kind), theme.dark ? 0.75 : 0.6)};
    };
    marks.label = [&row, &steps](std::size_t i) {
        const RunStep& s = steps[row[i].index];
        return QStringLiteral("%1.%2").arg(s.subgraph.index()).arg(s.index);
    };
    marks.facts = [&m, &row, &steps](std::size_t i) {
        const RunStep& s = steps[row[i].index];
        return tr("%1 · tile %2, k step %3 of %4 · in fast memory %5 · %6 %7")
            .arg(m.names.step(row[i].index), number(s.tile), number(s.kStep + 1), number(s.kSteps),
                 spanText(s.admitted, s.ended), elementsText(m.result()->problem(), s.units),
                 elementWord(m.result()->problem()));
    };
    marks.id = [&row](std::size_t i) { return row[i].index; };
    return {{marks}};
}

Lane bandLane(const QString& name, std::vector<MarkRow> rows, double rowHeight)
{
    Lane lane;
    lane.name = name;
    lane.height = rowHeight * static_cast<double>(std::max<std::size_t>(1, rows.size()));
    lane.gap = 3;
    lane.rows = std::move(rows);
    return lane;
}

// -- units -----------------------------------------------------------------------------------------------

Lane unitLane(const ModelPtr& model, RunUnit unit, std::size_t core)
{
    const RunChartModel& m = *model;
    const LiveRunResult& r = *m.result();
    const std::vector<RunPiece>& pieces = r.index.of(unit, core);
    const bool several = r.run.cores.size() > 1;
    Marks marks;
    marks.count = pieces.size();
    marks.start = [&pieces](std::size_t i) { return pieces[i].begin; };
    marks.end = [&pieces](std::size_t i) { return pieces[i].end; };
    marks.kinds = kHues + kRunWaits;
    marks.shared = true;
    marks.kind = [&m, &r, &pieces](std::size_t i) {
        const RunPiece& p = pieces[i];
        if (p.waits)
            return kHues + static_cast<std::size_t>(r.run.stalls[p.index].wait);
        return m.colour == RunColour::Unit ? 0 : m.category(r.run.commands[p.index].subgraph) % kHues;
    };
    marks.style = [&m, unit](std::size_t kind, const Theme& theme) {
        if (kind >= kHues)
            return waitStyle(static_cast<RunWait>(kind - kHues), theme);
        return MarkStyle{m.colour == RunColour::Unit ? unitColour(unit, theme) : theme.category(kind)};
    };
    marks.label = [&m, &r, &pieces](std::size_t i) {
        const RunPiece& p = pieces[i];
        if (!p.waits)
            return m.names.label(r.run.commands[p.index]);
        const RunStall& s = r.run.stalls[p.index];
        // A short name, because it covers the pattern.
        return s.wait == RunWait::Nothing ? QString() : waitName(s.wait);
    };
    marks.facts = [&m, &pieces, unit](std::size_t i) { return m.names.facts(unit, pieces[i]); };
    marks.tooltip = [&m, &r, &pieces, unit](std::size_t i) {
        const RunPiece& p = pieces[i];
        if (!p.waits)
            return m.names.tooltip(r.run.commands[p.index]);
        const RunStall& s = r.run.stalls[p.index];
        return QStringLiteral("<b>%1</b> %2<br>%3<br>%4")
            .arg(unitName(unit), m.names.reason(s).toHtmlEscaped(), spanText(p.begin, p.end),
                 waitExplanation(s.wait));
    };
    marks.id = [&r, &pieces](std::size_t i) {
        const RunPiece& p = pieces[i];
        return p.waits ? Marks::kNoMark : static_cast<std::uint32_t>(r.run.commands[p.index].step);
    };
    Lane lane;
    lane.name = several ? tr("%1 of core %2").arg(unitName(unit), number(core)) : unitName(unit);
    lane.heading = true;
    lane.height = several ? kUnitHeightOfSeveral : kUnitHeight;
    lane.gap = 3;
    lane.rows = {{{marks}}};
    const RunUnitSums& sums = r.run.cores[core].of(unit);
    lane.facts << tr("busy %1").arg(percent(sums.busy / endOf(r)));
    lane.factsTooltip =
        QStringLiteral("<b>%1</b><br>").arg(lane.name) +
        tr("busy %1 in %2")
            .arg(exactNumber(sums.busy), counted(sums.commands, tr("command"), tr("commands")));
    for (std::size_t w = 0; w < kRunWaits; ++w)
        if (sums.waits[w] > 0)
            lane.factsTooltip += QStringLiteral("<br>%1: %2")
                                     .arg(waitsFor(static_cast<RunWait>(w)), exactNumber(sums.waits[w]));
    if (const auto wait = longestWait(sums))
        lane.facts << QStringLiteral("%1 %2").arg(waitsFor(*wait), percent(sums.waited(*wait) / endOf(r)));
    return lane;
}

/// Returns forms of the legend from long to short; waits that do not occur are left out first.
std::vector<std::vector<ChartKey>> legends(const RunChartModel& m, const Theme& theme)
{
    const ScheduleRun& run = m.result()->run;
    std::vector<std::vector<ChartKey>> forms(2);
    const auto patch = [&](const QString& text, const MarkStyle& style) {
        return patchKey(text, style.fill, theme, style.pattern, style.patternColour);
    };
    for (std::size_t w = 0; w < kRunWaits; ++w) {
        const auto wait = static_cast<RunWait>(w);
        const bool occurs =
            std::ranges::any_of(run.units, [&](const RunUnitSums& u) { return u.waits[w] > 0; });
        for (std::size_t form = 0; form < forms.size(); ++form)
            if (occurs && (form == 0 || wait != RunWait::Nothing))
                forms[form].push_back(patch(waitsFor(wait), waitStyle(wait, theme)));
    }
    std::array<bool, RunRoom::kKinds> held{};
    for (const RunRoom& room : run.room)
        for (std::size_t k = 0; k < held.size(); ++k)
            held[k] = held[k] || room.units[k] > 0;
    for (std::size_t k = 0; k < held.size(); ++k)
        if (held[k])
            for (auto& form : forms)
                form.push_back(patchKey(roomName(static_cast<RunRoom::Kind>(k)),
                                        roomColour(static_cast<RunRoom::Kind>(k), theme), theme));
    return forms;
}

QString limitText(const RunLimit& limit, bool several)
{
    const QString share = percent(limit.share);
    switch (limit.what) {
    case RunLimit::What::Array:
        return (several ? tr("the arrays are busy %1 of the time") : tr("the array is busy %1 of the time"))
            .arg(share);
    case RunLimit::What::Vector:
        return (several ? tr("the vector units are busy %1 of the time")
                        : tr("the vector unit is busy %1 of the time"))
            .arg(share);
    case RunLimit::What::Channel:
        break;
    }
    return tr("slow memory is busy %1 of the time").arg(share);
}

} // namespace

std::vector<RunBandRow> bandRows(const std::vector<RunBand>& intervals, std::size_t most)
{
    std::vector<RunBandRow> rows;
    const auto freeFrom = [](const RunBandRow& row) { return row.back().end; };
    for (RunBand band : intervals) {
        if (band.end <= band.start)
            continue;
        auto row = std::ranges::find_if(rows, [&](const RunBandRow& r) { return freeFrom(r) <= band.start; });
        if (row == rows.end() && rows.size() < most)
            row = rows.emplace(rows.end());
        else if (row == rows.end()) {
            row = std::ranges::min_element(rows, {}, freeFrom);
            band.start = freeFrom(*row);
            if (band.end <= band.start)
                continue;
        }
        row->push_back(band);
    }
    return rows;
}

QString runHeadline(const LiveRunResult& r)
{
    QString out = QStringLiteral("%1 %2").arg(number(r.run.end), timeUnitText(r.model));
    if (r.ofFloor)
        out += tr(", %1 times the floor").arg(significantNumber(*r.ofFloor));
    const bool several = r.options.cores > 1;
    if (several)
        out = tr("this schedule, %1, %2 cores: %3")
                  .arg(counted(static_cast<std::int64_t>(r.run.subgraphs.size()), tr("subgraph"),
                               tr("subgraphs")),
                       number(r.options.cores), out);
    return tr("%1; %2").arg(out, limitText(limitOf(r.run), several));
}

QString runSentence(const LiveRunResult& r)
{
    const RunDifference d = differenceOf(r.run);
    QStringList out;
    const double by = change(d.latency, d.length);
    const QString why = differenceText(d);
    if (by == 0)
        out << tr("R10 adds up to the same time.");
    else
        out << (by < 0 ? tr("R10 adds up to %1; the run is %2 shorter: %3.")
                       : tr("R10 adds up to %1; the run is %2 longer: %3."))
                   .arg(number(d.latency), percent(std::abs(by) / std::max(d.latency, 1e-300)), why);
    const RunUnitSums& array = r.run.of(RunUnit::Array);
    const double all = endOf(r) * static_cast<double>(r.run.cores.size());
    if (const auto wait = longestWait(array); wait && array.commands > 0)
        out << (r.run.cores.size() > 1 ? tr("The arrays work %1 of the time and wait longest for %2: %3.")
                                       : tr("The array works %1 of the time and waits longest for %2: %3."))
                   .arg(percent(array.busy / all), waitName(*wait), percent(array.waited(*wait) / all));
    if (!r.run.exact)
        out << tr("Times are rounded.");
    return out.join(QLatin1Char(' '));
}

RunChartModel buildRunChart(const LiveRun& run, bool hasProblem, const RunChartModel& previous,
                            std::vector<std::size_t> colours, RunColour colour)
{
    RunChartModel m;
    const LiveRunPtr& result = run.result();
    m.refusal = run.refusal();
    m.colour = colour;
    if (!result) {
        m.hint = !m.refusal.isEmpty() ? m.refusal
                 : hasProblem         ? tr("Running the schedule …")
                                      : tr("Open a problem to see its schedule run unit by unit.");
        return m;
    }
    const bool same = previous.result() == result;
    m.stale = !run.isCurrent();
    m.names = {result, same ? previous.names.prefix : commonPrefix(result->problem())};
    m.colours = std::move(colours);
    if (m.stale && same)
        m.colours = previous.colours;
    m.title = runHeadline(*result);
    m.sentence = m.refusal.isEmpty() ? runSentence(*result) : m.refusal;
    if (m.stale)
        m.state = m.refusal.isEmpty() ? tr("running the present schedule …")
                                      : tr("the last schedule that runs; the present one does not");
    if (!result->run.recorded || result->run.end <= 0) {
        m.hint = m.title + QStringLiteral(".\n\n") + m.sentence + QStringLiteral("\n\n") +
                 (result->run.recorded
                      ? tr("There is nothing to draw.")
                      : tr("It has more than %1 commands, which are too many to draw; larger tiles "
                           "make fewer.")
                            .arg(number(result->options.mostCommands)));
        return m;
    }
    m.subgraphRows = same ? previous.subgraphRows
                          : std::make_shared<const std::vector<RunBandRow>>(rowsOfSubgraphs(result->run));
    m.stepRows =
        same ? previous.stepRows : std::make_shared<const std::vector<RunBandRow>>(rowsOfSteps(result->run));
    return m;
}

LaneModel runLanes(const ModelPtr& model)
{
    const RunChartModel& m = *model;
    LaneModel out;
    out.hint = m.hint;
    if (!out.hint.isEmpty())
        return out;
    const LiveRunResult& r = *m.result();
    out.keeps = model;
    out.title = m.stale ? QStringLiteral("%1 · %2").arg(m.title, m.state) : m.title;
    out.sentence = m.sentence;
    out.sentenceLines = 2;
    out.sentenceColour = [bad = !m.refusal.isEmpty()](const Theme& t) { return bad ? t.error : t.text; };
    out.dimmed = m.stale;
    out.legends = [&m](const Theme& theme) { return legends(m, theme); };
    out.total = r.run.end;
    out.shortest = r.run.end * 1e-9;
    out.unit = timeUnitText(r.model);
    out.least = 0.7;
    out.most = 3;
    const TextMetrics fm(uiFont(0.85));
    out.factsWidth = std::max(140.0, fm.horizontalAdvance(tr("waits for the channel 00.0 %")) + 14);
    std::vector<MarkRow> rows;
    for (const RunBandRow& row : *m.subgraphRows)
        rows.push_back(subgraphRow(model, row));
    out.lanes.push_back(bandLane(tr("subgraphs"), std::move(rows), std::max(kRowHeight, fm.height())));
    rows.clear();
    for (const RunBandRow& row : *m.stepRows)
        rows.push_back(stepRow(model, row));
    out.lanes.push_back(bandLane(tr("steps"), std::move(rows), std::max(kRowHeight, fm.height())));
    out.lanes.back().gap = 8;
    for (std::size_t core = 0; core < r.run.cores.size(); ++core) {
        for (std::size_t u = 0; u < kRunUnits; ++u)
            out.lanes.push_back(unitLane(model, static_cast<RunUnit>(u), core));
        out.lanes.back().gap = 8;
        out.lanes.push_back(roomLane(model, core));
        out.lanes.back().gap = 8;
    }
    out.overview = [model](QPainter& painter, const LaneFrame& f) {
        const Lane lane = unitLane(model, RunUnit::Array, 0);
        paintRow(painter, lane.rows.front(), f);
    };
    return out;
}

} // namespace tilewright::ui
