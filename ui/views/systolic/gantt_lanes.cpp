// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes of the pipeline: bars of the units, stalls of the array, occupancy of the memory levels.
#include "chart/plot_paint.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"
#include "views/systolic/gantt_model.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {

/// Text on the work in a time bucket, for a program that was run in parts.
QString sumText(const GanttProgram& p, const PipelineLane::Bar& bar)
{
    const std::int64_t width = p.run->overview->width();
    const std::int64_t from = bar.start / width * width;
    return tr("%1 of the cycles %2 to %3 on tiles of %4")
        .arg(number(bar.end - bar.start), number(from), number(std::min(from + width, p.run->cycles)),
             word(matrixName(static_cast<Matrix>(bar.command))));
}

} // namespace

QString barTooltip(const GanttProgram& p, const PipelineLane::Bar& bar)
{
    if (p.run->overview)
        return sumText(p, bar);
    const Command& c = p.program->commands[bar.command];
    const PipelineEvent& e = p.run->events[bar.command];
    QString out =
        QStringLiteral("<b>%1</b><br>%2")
            .arg(QString::fromStdString(commandTitle(c)).toHtmlEscaped(),
                 tr("cycles %1 to %2 (%3)").arg(number(e.start), number(e.end), number(e.end - e.start)));
    if (e.ready != e.end)
        out += tr("<br>result ready at %1").arg(number(e.ready));
    if (c.bytes > 0)
        out += tr("<br>%1 bytes").arg(number(c.bytes));
    if (c.pool)
        out += tr("<br>into %1, slot %2").arg(word(poolName(*c.pool))).arg(c.slot);
    if (c.bankConflict)
        out += tr("<br>bank conflict: A and B of this step lie in one bank, one read is serialised");
    return out;
}

namespace {

constexpr std::size_t kComputeKind = 3; // index of the kind "compute"; the kinds before it are the matrices

const QColor& matrixColour(std::size_t matrix, const Theme& theme)
{
    return matrix == 0 ? theme.input : matrix == 1 ? theme.output : theme.accumulator;
}

/// Style of a reason of a stall. Barriers are hatched.
MarkStyle reasonStyle(std::string reason, const Theme& theme)
{
    constexpr std::string_view kBarrier = "barrier_";
    const bool barrier = reason.starts_with(kBarrier);
    if (barrier)
        reason.erase(0, kBarrier.size());
    const QColor colour = reason == "dma"           ? theme.loadTime
                          : reason == "block_mover" ? theme.category(1)
                          : reason == "streamer"    ? theme.category(4)
                          : reason == "drain"       ? theme.category(3)
                          : reason == "fill_drain" || reason == "array"
                              ? theme.balanced
                              : theme.category(2); // colour of stalls because a buffer or register is full
    return {Theme::mix(theme.canvas, colour, 0.55), barrier ? Qt::BDiagPattern : Qt::NoBrush,
            Theme::mix(colour, theme.text, 0.5)};
}

QString barLabel(const Command& c)
{
    if (c.kind == CommandKind::Compute)
        return QStringLiteral("C[%1,%2] k%3").arg(c.i).arg(c.j).arg(c.k);
    switch (c.matrix) {
    case Matrix::A:
        return QStringLiteral("A[%1,%2]").arg(c.i).arg(c.k);
    case Matrix::B:
        return QStringLiteral("B[%1,%2]").arg(c.k).arg(c.j);
    case Matrix::C:
        return QStringLiteral("C[%1,%2]").arg(c.i).arg(c.j);
    }
    return {};
}

QString styleName(const GanttProgram& p)
{
    return p.style == ProgramStyle::Pipelined ? tr("pipelined") : tr("barriered");
}

Marks bars(const GanttProgram& p, const PipelineLane& lane)
{
    Marks m = marksOf(lane.bars);
    const bool array = lane.resource == Resource::Array;
    const auto command = [&lane, program = p.program](std::size_t i) -> const Command& {
        return program->commands[lane.bars[i].command];
    };
    m.kinds = kComputeKind + 1;
    m.shared = true; // the fill of a pixel shows the share of its time for which the unit is busy
    if (p.run->overview) {
        m.kind = [array, &lane](std::size_t i) {
            return array ? kComputeKind : std::size_t{lane.bars[i].command};
        };
        m.style = [](std::size_t kind, const Theme& theme) {
            return MarkStyle{kind == kComputeKind ? theme.computeTime : matrixColour(kind, theme)};
        };
        m.label = [](std::size_t) { return QString(); };
        m.facts = [p, &lane](std::size_t i) {
            return tr("%1 %2 · %3")
                .arg(resourceText(lane.resource), QString::number(lane.unit), sumText(p, lane.bars[i]));
        };
        m.tooltip = [p, &lane](std::size_t i) { return sumText(p, lane.bars[i]).toHtmlEscaped(); };
        return m;
    }
    m.kind = [array, command](std::size_t i) {
        return array ? kComputeKind : static_cast<std::size_t>(command(i).matrix);
    };
    m.style = [](std::size_t kind, const Theme& theme) {
        return MarkStyle{kind == kComputeKind ? theme.computeTime : matrixColour(kind, theme)};
    };
    m.label = [command](std::size_t i) { return barLabel(command(i)); };
    m.facts = [command, &lane](std::size_t i) {
        const PipelineLane::Bar& b = lane.bars[i];
        return tr("%1 %2 · %3 · cycles %4 to %5 (%6)")
            .arg(resourceText(lane.resource), QString::number(lane.unit),
                 QString::fromStdString(commandTitle(command(i))), number(b.start), number(b.end),
                 number(b.end - b.start));
    };
    m.tooltip = [p, &lane](std::size_t i) { return barTooltip(p, lane.bars[i]); };
    return m;
}

Marks bubbles(const GanttProgram& p)
{
    const std::vector<ArrayBubble>& all = p.run->bubbles;
    std::vector<std::string> reasons;
    std::vector<std::uint8_t> kinds(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto known = std::find(reasons.begin(), reasons.end(), all[i].reason);
        kinds[i] = static_cast<std::uint8_t>(known - reasons.begin());
        if (known == reasons.end())
            reasons.push_back(all[i].reason);
    }
    Marks m;
    m.count = all.size();
    m.start = [&all](std::size_t i) { return static_cast<double>(all[i].start); };
    m.end = [&all](std::size_t i) { return static_cast<double>(all[i].start + all[i].length); };
    m.kinds = std::max<std::size_t>(1, reasons.size());
    m.kind = [kinds](std::size_t i) { return std::size_t{kinds[i]}; };
    m.style = [reasons](std::size_t kind, const Theme& theme) {
        return kind < reasons.size() ? reasonStyle(reasons[kind], theme) : MarkStyle{theme.canvas};
    };
    m.label = [&all](std::size_t i) { return reasonText(all[i].reason); };
    const auto text = [&all, program = p.program](std::size_t i) {
        const ArrayBubble& b = all[i];
        return std::array{reasonText(b.reason), counted(b.length, tr("cycle"), tr("cycles")), number(b.start),
                          program->commands.empty()
                              ? tr("commands of this part")
                              : QString::fromStdString(commandTitle(program->commands[b.command]))};
    };
    m.facts = [text](std::size_t i) {
        const auto t = text(i);
        return tr("the array waits: %1 · %2 from cycle %3 · for %4").arg(t[0], t[1], t[2], t[3]);
    };
    m.tooltip = [text](std::size_t i) {
        const auto t = text(i);
        return tr("<b>The array waits: %1</b><br>%2 from cycle %3<br>for %4")
            .arg(t[0].toHtmlEscaped(), t[1], t[2], t[3].toHtmlEscaped());
    };
    return m;
}

/// Returns the row in pale colours without patterns, for comparison.
MarkRow paleRow(MarkRow row)
{
    constexpr double kWeight = 0.32;
    for (Marks& marks : row.layers)
        marks.style = [style = marks.style](std::size_t kind, const Theme& theme) {
            return MarkStyle{Theme::mix(theme.canvas, style(kind, theme).fill, 0.5)};
        };
    row.weight = kWeight;
    row.plain = true;
    return row;
}

MarkRow unitRow(const GanttProgram& p, const PipelineLane& unit)
{
    MarkRow row;
    if (unit.resource == Resource::Array)
        row.layers.push_back(bubbles(p));
    row.layers.push_back(bars(p, unit));
    return row;
}

/// Lane with the units of a resource. Below each unit is a pale strip with the same unit of the program
/// `pinned`, which may be null.
Lane resourceLane(const GanttProgram& p, const GanttProgram* pinned, std::size_t index)
{
    const Resource resource = kResources[index];
    Lane lane;
    lane.name = resourceText(resource);
    lane.note = QStringLiteral("%1 %").arg(std::lround(100 * p.run->busyFraction[index]));
    lane.gap = 0;
    double units = 0;
    for (const PipelineLane& unit : *p.lanes) {
        if (unit.resource != resource)
            continue;
        ++units;
        lane.rows.push_back(unitRow(p, unit));
        if (!pinned)
            continue;
        const auto same = std::ranges::find_if(*pinned->lanes, [&](const PipelineLane& other) {
            return other.resource == resource && other.unit == unit.unit;
        });
        lane.rows.push_back(same == pinned->lanes->end() ? paleRow({}) : paleRow(unitRow(*pinned, *same)));
    }
    lane.readout = [name = lane.name, units](double time, double y) {
        return tr("%1 %2 is idle at %3").arg(name).arg(std::floor(y * units)).arg(number(std::floor(time)));
    };
    lane.paint = [](QPainter& painter, const LaneFrame& f) {
        painter.setPen(f.theme.grid);
        painter.drawLine(f.rect.bottomLeft(), f.rect.bottomRight());
    };
    return lane;
}

/// Returns the maximum occupancy in each pixel column: finds the first point by binary search, then visits
/// all points in the column.
std::vector<LowHigh> heldColumns(const std::vector<OccupancyPoint>& points, double from, double to, int width)
{
    std::vector<LowHigh> out;
    for (int x = 0; x < width; ++x) {
        const double t0 = from + (to - from) * x / width;
        const double t1 = from + (to - from) * (x + 1) / width;
        auto p = std::partition_point(points.begin(), points.end(), [&](const OccupancyPoint& o) {
            return static_cast<double>(o.time) <= t0;
        });
        std::int64_t most = p == points.begin() ? 0 : (p - 1)->bytes;
        for (int n = 0; p != points.end() && static_cast<double>(p->time) < t1 && n < 64; ++p, ++n)
            most = std::max(most, p->bytes);
        out.push_back({static_cast<double>(most), static_cast<double>(most)});
    }
    return out;
}

/// Ratio of capacity to peak above which the capacity is off the scale, because the curve would be flat.
constexpr double kOffScale = 8;

/// Paints a break of the scale below the line of a capacity that is off the scale.
void paintBreak(QPainter& painter, const LaneFrame& f)
{
    constexpr double kWidth = 4;
    constexpr double kHeight = 7;
    painter.save();
    painter.setClipping(false);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(f.theme.text, 1.3));
    for (const double x : {f.rect.left() + 3, f.rect.left() + 3 + kWidth})
        painter.drawLine(QPointF(x, f.rect.top() + kHeight), QPointF(x + kWidth, f.rect.top() + 1));
    painter.restore();
}

Lane levelLane(const GanttModel& m, std::size_t i)
{
    constexpr Level kLevels[] = {Level::L3, Level::L2, Level::L1};
    const QString name = i == 0 ? QStringLiteral("L3") : i == 1 ? QStringLiteral("L2") : QStringLiteral("L1");
    Lane lane;
    lane.name = name;
    lane.height = 26;
    lane.gap = 3;
    lane.optional = true;
    Curve curve;
    const auto capacity = static_cast<double>(m.capacity[i]);
    double peak = 1;
    for (const auto* programs : {&m.programs, &m.pinnedPrograms})
        for (const GanttProgram& p : *programs)
            peak = std::max(peak, static_cast<double>(p.run->peakBytes[i]));
    const bool offScale = capacity > kOffScale * peak;
    curve.top = offScale ? 1.25 * peak : std::max(peak, capacity);
    curve.limit = offScale ? curve.top : capacity;
    if (offScale)
        lane.paint = paintBreak;
    lane.note = tr("to %1").arg(bytesText(std::llround(curve.top)));
    lane.facts << levelFact(m, i);
    const auto of = [i](const GanttProgram& p) {
        return [points = &p.run->occupancy[i]](double from, double to, int width) {
            return heldColumns(*points, from, to, width);
        };
    };
    curve.columns = of(m.main());
    if (const GanttProgram* pinned = m.pinnedOf(m.main().style))
        curve.ghost = of(*pinned);
    else if (m.programs.size() > 1)
        curve.ghost = of(m.programs.front());
    curve.colour = [](const Theme& theme) { return Theme::mix(theme.canvas, theme.resident, 0.7); };
    lane.curve = curve;
    lane.readout = [name, level = kLevels[i], programs = m.programs, capacity = m.capacity[i]](double time,
                                                                                               double) {
        QStringList parts;
        for (const GanttProgram& p : programs)
            parts << tr("%1 %2 bytes")
                         .arg(styleName(p),
                              number(p.run->occupancyAt(level, static_cast<std::int64_t>(time))));
        return tr("%1 at cycle %2 · %3 · of %4")
            .arg(name, number(std::floor(time)), parts.join(QStringLiteral(" · ")), number(capacity));
    };
    lane.tooltip = [name, i, level = kLevels[i], programs = m.programs, capacity = m.capacity[i]](double time,
                                                                                                  double) {
        const auto t = static_cast<std::int64_t>(time);
        QString out = tr("<b>%1 at cycle %2</b>").arg(name, number(t));
        for (const GanttProgram& p : programs)
            out += tr("<br>%1: %2 bytes, peak %3")
                       .arg(styleName(p), number(p.run->occupancyAt(level, t)), number(p.run->peakBytes[i]));
        return out + tr("<br>the level holds %1 bytes").arg(number(capacity));
    };
    return lane;
}

} // namespace

void fillReason(QPainter& painter, const QRectF& box, const std::string& reason, const Theme& theme)
{
    fillMark(painter, box, reasonStyle(reason, theme), theme);
}

std::size_t firstLevelLane(const LaneModel& lanes)
{
    return lanes.lanes.size() - 3;
}

QString levelFact(const GanttModel& m, std::size_t level)
{
    const std::int64_t peak = m.main().run->peakBytes[level];
    const std::int64_t capacity = m.capacity[level];
    return tr("peak %1, %2 of %3")
        .arg(bytesText(peak),
             percent(static_cast<double>(peak) / static_cast<double>(std::max<std::int64_t>(1, capacity))),
             bytesText(capacity));
}

LaneModel ganttLanes(const GanttModel& m)
{
    LaneModel out;
    out.hint = m.hint;
    if (m.programs.empty())
        return out;
    out.keeps = std::make_shared<
        std::pair<std::shared_ptr<const PipelineResult>, std::shared_ptr<const PipelineResult>>>(m.result,
                                                                                                 m.pinned);
    out.title = m.title;
    out.sentence = m.headline + QStringLiteral(" · ") + m.bottleneck;
    out.sentenceLines = 4; // enough lines for the whole sentence on savings and losses
    out.sentenceColour = [](const Theme& theme) { return theme.accent; };
    out.total = static_cast<double>(m.cycles);
    out.shortest = 8;
    out.unit = tr("cycle");
    out.legends = [both = m.programs.size() > 1,
                   pinned = m.pinnedOf(m.main().style) != nullptr](const Theme& theme) {
        std::vector<ChartKey> keys{
            patchKey(tr("tiles of A"), theme.input, theme), patchKey(tr("B"), theme.output, theme),
            patchKey(tr("C"), theme.accumulator, theme), patchKey(tr("array fed"), theme.computeTime, theme)};
        keys.push_back(lineKey(tr("capacity (//: off the scale)"), QPen(theme.text, 1, Qt::DashLine)));
        if (pinned) {
            keys.push_back(patchKey(tr("pale: the pinned program"),
                                    Theme::mix(theme.canvas, theme.computeTime, 0.5), theme));
            keys.push_back(lineKey(tr("held by the pinned program"), QPen(theme.text, 1.4, Qt::DashLine)));
        } else if (both)
            keys.push_back(lineKey(tr("held by the other program"), QPen(theme.text, 1.4, Qt::DashLine)));
        return std::vector<std::vector<ChartKey>>{keys};
    };
    for (const GanttProgram& p : m.programs) {
        Lane head = headingLane(p.title);
        head.height += 2;
        head.gap = 0;
        const std::size_t first = out.lanes.size() + 1;
        out.lanes.push_back(std::move(head));
        for (std::size_t r = 0; r < kResources.size(); ++r)
            out.lanes.push_back(resourceLane(p, m.pinnedOf(p.style), r));
        out.lanes.back().gap = 6;
        if (p.run->cycles < m.cycles) // vertical line at the end of the program
            out.lines.push_back({static_cast<double>(p.run->cycles), true, first, out.lanes.size() - 1});
        if (const GanttProgram* pinned = m.pinnedOf(p.style); pinned && pinned->run->cycles < m.cycles)
            out.lines.push_back(
                {static_cast<double>(pinned->run->cycles), true, first, out.lanes.size() - 1});
        for (std::size_t r = 0; r < kResources.size(); ++r)
            if (kResources[r] == Resource::Array && &p == &m.main())
                out.overview = [row = out.lanes[first + r].rows.front()](
                                   QPainter& painter, const LaneFrame& f) { paintRow(painter, row, f); };
    }
    const TextMetrics facts(uiFont(0.85));
    for (std::size_t i = 0; i < 3; ++i) {
        out.lanes.push_back(levelLane(m, i));
        out.factsWidth = std::max(out.factsWidth, facts.horizontalAdvance(levelFact(m, i)) + 14);
        out.lanes.back().height = std::max(out.lanes.back().height, facts.height() + 2);
    }
    return out;
}

} // namespace tilewright::ui
