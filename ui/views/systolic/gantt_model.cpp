// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/gantt_model.h"

#include "theme/text.h"
#include "views/systolic/tile_map_model.h"

#include <algorithm>
#include <set>

namespace tilewright::ui {

using namespace systolic;

namespace {

QString baseReason(const std::string& reason)
{
    static const std::pair<const char*, const char*> kNames[] = {
        {"dma", "DMA"},
        {"block_mover", "block mover"},
        {"streamer", "streamer"},
        {"array", "array drains"},
        {"drain", "drain"},
        {"weights", "weights move into place"},
        {"weights_full", "all weight registers are in use"},
        {"l3_full", "L3 is full"},
        {"l2_full", "L2 is full"},
        {"l1_full", "L1 is full"},
        {"accumulators_full", "accumulators are full"},
        {"fill_drain", "last wave leaves"},
    };
    for (const auto& [key, name] : kNames)
        if (reason == key)
            return tr(name);
    return QString::fromStdString(reason);
}

} // namespace

QString reasonText(const std::string& reason)
{
    constexpr std::string_view kBarrier = "barrier_";
    if (reason.compare(0, kBarrier.size(), kBarrier) == 0)
        return tr("barrier: %1").arg(baseReason(reason.substr(kBarrier.size())));
    return baseReason(reason);
}

QString dataflowText(Dataflow dataflow)
{
    return dataflow == Dataflow::Os   ? tr("output-stationary")
           : dataflow == Dataflow::Ws ? tr("weight-stationary")
                                      : tr("input-stationary");
}

namespace {

constexpr std::array kSchedules{L2Schedule::NoReuse, L2Schedule::RowReuse, L2Schedule::FullReuse,
                                L2Schedule::PartialC};

} // namespace

QStringList scheduleChoices()
{
    QStringList out{tr("by the size of L2")};
    for (const L2Schedule schedule : kSchedules)
        out << word(l2ScheduleName(schedule));
    return out;
}

int scheduleChoice(const SystolicSettings& settings)
{
    if (!settings.schedule)
        return 0;
    return static_cast<int>(std::ranges::find(kSchedules, *settings.schedule) - kSchedules.begin()) + 1;
}

void chooseSchedule(SystolicSettings& settings, int choice)
{
    settings.schedule.reset();
    if (choice > 0)
        settings.schedule = kSchedules[static_cast<std::size_t>(choice) - 1];
}

QString resourceText(Resource resource)
{
    switch (resource) {
    case Resource::Dma:
        return tr("DMA");
    case Resource::BlockMover:
        return tr("block mover");
    case Resource::Streamer:
        return tr("streamer");
    case Resource::Array:
        return tr("array");
    case Resource::Drain:
        return tr("drain");
    }
    return {};
}

QString missingText(const PipelineComparison& c, ProgramStyle style)
{
    return (style == ProgramStyle::Pipelined ? tr("No pipelined program: %1.")
                                             : tr("No barriered program: %1."))
        .arg(word(c.refusal[static_cast<std::size_t>(style)]));
}

namespace {

/// Headline: the schedule that runs with its L2 traffic, and the cycles that pipelining saves.
QString headline(const PipelineComparison& c)
{
    QStringList parts;
    if (c.has(ProgramStyle::Pipelined)) {
        parts << tr("pipelined: %1, %2 through L2")
                     .arg(word(programScheduleText(c.pipelined)), bytesText(verbs::l2BytesOf(c.pipelined)));
        if (!c.pipelined.reason.empty())
            parts << word(c.pipelined.reason);
    }
    if (const auto saved = c.cyclesSaved())
        parts << tr("pipelining saves %1 of %2 cycles (%3)")
                     .arg(number(*saved), number(c.barrieredRun.cycles),
                          percent(static_cast<double>(*saved) /
                                  static_cast<double>(std::max<std::int64_t>(1, c.barrieredRun.cycles))));
    for (const ProgramStyle style : {ProgramStyle::Barriered, ProgramStyle::Pipelined})
        if (!c.has(style))
            parts << missingText(c, style);
        else if (const PipelineRun& run = style == ProgramStyle::Pipelined ? c.pipelinedRun : c.barrieredRun;
                 run.overview)
            parts << tr("%1: %2 commands, drawn in sums of %3")
                         .arg(style == ProgramStyle::Pipelined ? tr("pipelined") : tr("barriered"),
                              number((style == ProgramStyle::Pipelined ? c.pipelined : c.barriered).length),
                              counted(run.overview->width(), tr("cycle"), tr("cycles")));
    return parts.join(QStringLiteral(" · "));
}

/// Fills the table with the cycles of the array by reason, for both programs.
void addStalls(GanttModel& m, const PipelineComparison& c)
{
    const bool barriered = c.has(ProgramStyle::Barriered), pipelined = c.has(ProgramStyle::Pipelined);
    const auto row = [&](const QString& name, const auto& figure) {
        const auto text = [&](bool has, const PipelineRun& run) {
            return has ? number(figure(run)) : QStringLiteral("–");
        };
        m.stalls.rows.push_back({name, text(barriered, c.barrieredRun), text(pipelined, c.pipelinedRun)});
    };
    m.stalls.title = tr("Cycles of the array");
    m.stalls.head = {QString(), tr("barriered"), tr("pipelined")};
    m.stalls.numeric = {false, true, true};
    row(tr("fed with operands"), [](const PipelineRun& run) { return run.arrayBusy; });
    std::set<std::string> reasons;
    for (const PipelineRun* run : {&c.barrieredRun, &c.pipelinedRun})
        for (const auto& [reason, n] : run->stalls)
            reasons.insert(reason);
    m.stallReasons = {{}};
    const std::string& worst = (pipelined ? c.pipelinedRun : c.barrieredRun).bottleneck;
    for (const std::string& reason : reasons) {
        m.stallReasons.push_back(reason);
        if (reason == worst)
            m.stalls.marked = static_cast<int>(m.stalls.rows.size());
        row(reasonText(reason), [&reason](const PipelineRun& run) {
            const auto found = run.stalls.find(reason);
            return found == run.stalls.end() ? std::int64_t{0} : found->second;
        });
    }
    m.stallReasons.emplace_back();
    row(tr("total cycles"), [](const PipelineRun& run) { return run.cycles; });
}

/// Returns the programs of a result in the order in which they are drawn.
std::vector<GanttProgram> programsOf(const PipelineResult& result, GanttShow show)
{
    const PipelineComparison& c = *result.comparison;
    std::vector<GanttProgram> out;
    if (show != GanttShow::Pipelined && c.has(ProgramStyle::Barriered))
        out.push_back({ProgramStyle::Barriered, &c.barriered, &c.barrieredRun, &result.lanes[0], {}});
    if (show != GanttShow::Barriered && c.has(ProgramStyle::Pipelined))
        out.push_back({ProgramStyle::Pipelined, &c.pipelined, &c.pipelinedRun, &result.lanes[1], {}});
    return out;
}

QString bandwidthText(const SystolicSettings& s)
{
    return s.unlimitedBandwidth ? tr("unlimited") : tr("of %1").arg(QString::fromStdString(s.hierarchy.name));
}

/// Table that compares a pinned program with the current one of the same style, figure by figure.
PaintedTable comparedWith(const GanttModel& m, const GanttProgram& pinned)
{
    PaintedTable out;
    out.title = tr("Compared with the pinned program");
    out.head = {QString(), tr("pinned"), tr("now"), tr("change")};
    out.numeric = {false, true, true, true};
    QStringList equal;
    const auto row = [&](const QString& name, const auto& text) {
        const QString before = text(pinned, m.pinned->of), now = text(m.main(), m.result->of);
        if (before == now)
            equal << name;
        else
            out.rows.push_back({name, before, now, QString()});
    };
    const auto figure = [&](const QString& name, const auto& value) {
        const std::int64_t before = value(pinned), now = value(m.main());
        out.rows.push_back({name, number(before), number(now),
                            before == now ? QStringLiteral("=")
                            : before == 0
                                ? QString()
                                : signedPercent(static_cast<double>(now) / static_cast<double>(before) - 1)});
    };
    row(tr("product"), [](const GanttProgram&, const SystolicSettings& s) {
        return QStringLiteral("%1×%2×%3").arg(number(s.gemm.m), number(s.gemm.n), number(s.gemm.k));
    });
    row(tr("tile"), [](const GanttProgram& p, const SystolicSettings&) { return tileText(p.program->tile); });
    row(tr("dataflow"), [](const GanttProgram& p, const SystolicSettings&) {
        return word(dataflowName(p.program->options.dataflow));
    });
    row(tr("L2"), [](const GanttProgram& p, const SystolicSettings&) {
        return p.program->options.dataflow == Dataflow::Os ? word(l2ScheduleName(p.program->schedule))
                                                           : QStringLiteral("–");
    });
    row(tr("bandwidth"), [](const GanttProgram&, const SystolicSettings& s) { return bandwidthText(s); });
    figure(tr("cycles"), [](const GanttProgram& p) { return p.run->cycles; });
    figure(tr("array fed"), [](const GanttProgram& p) { return p.run->arrayBusy; });
    std::set<std::string> reasons;
    for (const GanttProgram* p : {&pinned, &m.main()})
        for (const auto& [reason, cycles] : p->run->stalls)
            reasons.insert(reason);
    for (const std::string& reason : reasons)
        figure(reasonText(reason), [&reason](const GanttProgram& p) {
            const auto found = p.run->stalls.find(reason);
            return found == p.run->stalls.end() ? std::int64_t{0} : found->second;
        });
    figure(tr("L2 bytes"), [](const GanttProgram& p) { return verbs::l2BytesOf(*p.program); });
    figure(tr("DRAM bytes"), [](const GanttProgram& p) { return verbs::dramBytesOf(*p.program); });
    if (!equal.isEmpty())
        out.note = tr("Equal in both: %1.").arg(equal.join(QStringLiteral(", ")));
    return out;
}

} // namespace

const GanttProgram* GanttModel::pinnedOf(ProgramStyle style) const
{
    const auto found = std::ranges::find(pinnedPrograms, style, &GanttProgram::style);
    return found == pinnedPrograms.end() ? nullptr : &*found;
}

GanttModel buildGantt(const SystolicDocument& state, GanttShow show)
{
    GanttModel m;
    m.result = state.pipeline();
    const SystolicSettings& s = state.settings();
    if (!m.result || !samePrograms(m.result->of, s)) {
        m.result.reset();
        m.hint = tr("Running the barriered and the pipelined program …");
        return m;
    }
    if (!m.result->comparison) {
        m.hint = (m.result->waiting > 0 ? tr("Programs not run yet: %1.") : tr("No programs: %1."))
                     .arg(m.result->error);
        return m;
    }
    const PipelineComparison& c = *m.result->comparison;
    m.programs = programsOf(*m.result, show);
    if (m.programs.empty()) {
        m.hint =
            missingText(c, show == GanttShow::Barriered ? ProgramStyle::Barriered : ProgramStyle::Pipelined);
        return m;
    }
    for (GanttProgram& p : m.programs) {
        p.title =
            tr("%1 · %2 · array fed %3 · limited by: %4")
                .arg(p.style == ProgramStyle::Pipelined ? tr("Pipelined") : tr("Barriered"),
                     counted(p.run->cycles, tr("cycle"), tr("cycles")),
                     percent(static_cast<double>(p.run->arrayBusy) / static_cast<double>(p.run->cycles)),
                     p.run->bottleneck == "array" ? tr("none, the array is the bottleneck")
                                                  : reasonText(p.run->bottleneck));
        m.cycles = std::max(m.cycles, p.run->cycles);
    }
    if (state.pinned()) {
        m.pinned = state.pinned();
        m.pinnedPrograms = programsOf(*m.pinned, show);
        for (const GanttProgram& p : m.pinnedPrograms)
            m.cycles = std::max(m.cycles, p.run->cycles);
    }
    const GanttProgram& main = m.main();
    m.title = tr("%1 × %2 × %3 through the memories, tile %4, %5, bandwidth %6")
                  .arg(number(s.gemm.m), number(s.gemm.n), number(s.gemm.k), tileText(main.program->tile),
                       dataflowText(s.timing.dataflow), bandwidthText(s));
    m.headline = headline(c);
    m.bottleneck =
        tr("busiest: %1, %2 · largest loss: %3")
            .arg(resourceText(main.run->busiest),
                 percent(main.run->busyFraction[static_cast<std::size_t>(main.run->busiest)]),
                 main.run->largestLoss == 0
                     ? tr("none")
                     : tr("%1, %2").arg(reasonText(main.run->bottleneck),
                                        counted(main.run->largestLoss, tr("cycle"), tr("cycles"))));
    addStalls(m, c);
    if (const GanttProgram* pinned = m.pinnedOf(main.style))
        m.compared = comparedWith(m, *pinned);
    for (std::size_t i = 0; i < 3; ++i)
        m.capacity[i] = s.hierarchy.at(i == 0 ? Level::L3 : i == 1 ? Level::L2 : Level::L1).totalBytes();
    moveGanttCursor(m, state.pipelineTime());
    return m;
}

void moveGanttCursor(GanttModel& m, std::int64_t time)
{
    if (m.programs.empty())
        return;
    m.time = std::clamp<std::int64_t>(time, 0, m.cycles);
    const GanttProgram& p = m.main();
    m.banks = {};
    m.banks.map = p.program->bankMap();
    m.now = {};
    m.now.title =
        tr("At cycle %1, %2")
            .arg(number(m.time), p.style == ProgramStyle::Pipelined ? tr("pipelined") : tr("barriered"));
    m.now.head = {QString(), QString()};
    for (const std::uint32_t c : p.run->runningAt(m.time)) {
        const Command& command = p.program->commands[c];
        const PipelineEvent& e = p.run->events[c];
        const auto resource = resourceOf(command.kind);
        if (!resource)
            continue;
        const QString title = QString::fromStdString(commandTitle(command));
        if (command.kind == CommandKind::Compute) {
            m.banks.bankA = m.banks.map.bankA(command.i, command.k);
            m.banks.bankB = m.banks.map.bankB(command.k, command.j);
            m.banks.tileA = QStringLiteral("A[%1,%2]").arg(command.i).arg(command.k);
            m.banks.tileB = QStringLiteral("B[%1,%2]").arg(command.k).arg(command.j);
        }
        m.now.rows.push_back({QStringLiteral("%1 %2").arg(resourceText(*resource)).arg(e.unit), title});
    }
    if (const ArrayBubble* bubble = p.run->bubbleAt(m.time)) {
        m.now.marked = static_cast<int>(m.now.rows.size());
        m.now.rows.push_back({tr("array waits"), QStringLiteral("%1, %2").arg(
                                                     reasonText(bubble->reason),
                                                     counted(bubble->length, tr("cycle"), tr("cycles")))});
    }
    const Level levels[] = {Level::L3, Level::L2, Level::L1};
    for (std::size_t i = 0; i < 3; ++i)
        m.held[i] = p.run->occupancyAt(levels[i], m.time);
}

std::optional<std::int64_t> nextBubble(const PipelineRun& run, std::int64_t time, int by)
{
    const auto& b = run.bubbles;
    const auto after = std::partition_point(
        b.begin(), b.end(), [&](const ArrayBubble& x) { return by > 0 ? x.start <= time : x.start < time; });
    if (by > 0)
        return after == b.end() ? std::nullopt : std::optional(after->start);
    return after == b.begin() ? std::nullopt : std::optional((after - 1)->start);
}

} // namespace tilewright::ui
