// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_model.h"

#include "theme/text.h"
#include "workspace/texts.h"

#include <algorithm>

namespace tilewright::ui {

MemoryContents contentsOf(const Timeline& timeline, std::size_t index, std::int64_t stepIndex)
{
    using Kind = ContentItem::Kind;
    const TimelinePart& part = timeline.parts[index];
    const Problem& problem = *timeline.problem;
    const Step s = part.steps->step(stepIndex);
    MemoryContents out;
    out.part = index;
    out.step = stepIndex;
    out.start = part.start + s.start;
    out.end = out.start + s.latency;
    out.total = s.workingSet;
    out.halo = part.steps->sums(stepIndex).halo;
    const auto add = [&](Kind kind, TensorId t, std::int64_t elements, const QString& detail) {
        if (elements != 0)
            out.items.push_back({kind, t, QString::fromStdString(problem.tensorName(t)), detail, elements});
    };
    for (const TensorId t : part.key.resident)
        add(Kind::Resident, t, problem.sizeUnits(t), tr("by the previous subgraph"));
    for (const TensorId t : part.key.subgraph->retain)
        if (std::find(part.key.resident.begin(), part.key.resident.end(), t) == part.key.resident.end())
            add(Kind::Retained, t, problem.sizeUnits(t), tr("for the next subgraph"));
    const auto slice = [](const Rect& r) {
        return QStringLiteral("[%1:%2, %3:%4]").arg(r.r0).arg(r.r1).arg(r.c0).arg(r.c1);
    };
    for (const StepBuffer& b : s.buffers)
        add(Kind::Input, b.tensor, b.size,
            (problem.isView(b.tensor) ? tr("view, ") : QString()) +
                (b.loaded ? tr("loaded %1") : tr("reused %1")).arg(b.full ? tr("whole") : slice(b.rect)));
    for (const StepSink& k : s.sinks) {
        add(Kind::Accumulator, k.tensor, k.accumulators, tr("partial sums of the MatMuls behind its tile"));
        add(Kind::Output, k.tensor, k.outputElements,
            (k.completes ? tr("stored %1") : tr("partial sum %1")).arg(slice(k.tile)));
    }
    for (const StepInterior& k : s.interiors)
        add(Kind::Interior, k.tensor, k.size, tr("handed over %1").arg(slice(k.rect)));
    if (s.donatedElements > 0 && !s.sinks.empty())
        add(Kind::Donated, s.sinks.front().tensor, -s.donatedElements, tr("output in the place of an input"));
    std::stable_sort(out.items.begin(), out.items.end(), [](const ContentItem& a, const ContentItem& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.elements > b.elements;
    });
    return out;
}

std::optional<MemoryContents> contentsAt(const Timeline& timeline, double time)
{
    const auto part = timeline.partAt(time);
    if (!part || !timeline.parts[*part].isKnown())
        return std::nullopt;
    return contentsOf(timeline, *part,
                      timeline.parts[*part].steps->stepAt(time - timeline.parts[*part].start));
}

QString haloText(const MemoryContents& c, const Problem& problem)
{
    QStringList parts;
    if (c.halo.input > 0)
        parts << tr("%1 of the inputs, which other tiles load, too").arg(elementsText(problem, c.halo.input));
    if (c.halo.interior > 0)
        parts << tr("%1 of the interior, which other tiles compute, too")
                     .arg(elementsText(problem, c.halo.interior));
    return parts.isEmpty() ? QString() : tr("halo %1").arg(parts.join(QStringLiteral("; ")));
}

QString contentKindText(ContentItem::Kind kind)
{
    switch (kind) {
    case ContentItem::Kind::Resident:
        return tr("resident");
    case ContentItem::Kind::Retained:
        return tr("retained");
    case ContentItem::Kind::Input:
        return tr("input");
    case ContentItem::Kind::Interior:
        return tr("interior");
    case ContentItem::Kind::Accumulator:
        return tr("accumulator");
    case ContentItem::Kind::Output:
        return tr("output");
    case ContentItem::Kind::Donated:
        break;
    }
    return tr("donated");
}

QString contentsTooltip(const MemoryContents& c, const Timeline& timeline, std::int64_t capacity)
{
    QString text = tr("<b>Subgraph %1, step %2</b><br>from %3 to %4")
                       .arg(timeline.parts[c.part].id.index())
                       .arg(c.step)
                       .arg(exactNumber(c.start), exactNumber(c.end));
    text += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    for (const ContentItem& i : c.items)
        text += QStringLiteral("<tr><td>%1&nbsp;</td><td>%2&nbsp;</td><td align='right'>%3</td></tr>")
                    .arg(contentKindText(i.kind), i.name.toHtmlEscaped(),
                         elementsText(*timeline.problem, i.elements));
    text += tr("<tr><td colspan='2'><b>total</b></td><td align='right'><b>%1</b></td></tr>")
                .arg(elementsText(*timeline.problem, c.total));
    text += tr("<tr><td colspan='2'>capacity</td><td align='right'>%1</td></tr></table>")
                .arg(elementsText(*timeline.problem, capacity));
    if (timeline.problem->unitsPerElement() > 1)
        text += tr("in %1<br>").arg(elementWord(*timeline.problem));
    return text + haloText(c, *timeline.problem);
}

QString contentsAsText(const MemoryContents& c, const Problem& problem)
{
    QString out = QStringLiteral("kind\ttensor\telements\tdetail\n");
    for (const ContentItem& i : c.items)
        out += textRow(contentKindText(i.kind), i.name, problem.elementsOf(i.elements), i.detail);
    return out;
}

namespace {

QString peakText(const MemoryModel& m)
{
    const QString text =
        tr("Peak %1 of %2 %5 (%3) in subgraph %4")
            .arg(elementsText(*m.timeline->problem, m.timeline->peak),
                 elementsText(*m.timeline->problem, m.capacity),
                 percent(static_cast<double>(m.timeline->peak) / static_cast<double>(m.capacity)))
            .arg(m.timeline->peakPart)
            .arg(elementWord(*m.timeline->problem));
    return m.overflows ? text + tr(": does not fit") : text;
}

QString trackText(const TensorTrack& track, const Timeline& timeline)
{
    const QString name = QString::fromStdString(timeline.problem->tensorName(track.tensor));
    if (track.high == 0)
        return tr("%1 has no memory of its own in fast memory").arg(name);
    const auto holders = std::count_if(track.parts.begin(), track.parts.end(),
                                       [](const TensorTrack::Part& p) { return p.high > 0; });
    return (holders == 1 ? tr("%1: up to %2 %5 in subgraph %3, %4 of the time")
                         : tr("%1: up to %2 %5 in subgraphs %3, %4 of the time"))
        .arg(name, elementsText(*timeline.problem, track.high), subgraphsText(track),
             percent(track.time / timeline.total), elementWord(*timeline.problem));
}

} // namespace

std::optional<double> cursorTime(const Timeline& timeline, const SelectionState& selection)
{
    if (!selection.subgraph || selection.subgraph->index() >= timeline.parts.size())
        return selection.time && *selection.time <= timeline.total ? selection.time : std::nullopt;
    const TimelinePart& part = timeline.parts[selection.subgraph->index()];
    if (!part.isKnown())
        return part.start;
    const std::int64_t step = std::clamp<std::int64_t>(selection.step, 0, part.steps->size() - 1);
    const double from = part.start + part.steps->start(step);
    const double to = from + part.steps->sums(step).latency;
    return selection.time && *selection.time >= from && *selection.time < to ? *selection.time : from;
}

MemoryModel buildMemory(const Snapshot* snapshot, const SelectionState& selection,
                        std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Timeline> baseline,
                        const MemoryModel& previous)
{
    MemoryModel m;
    if (!snapshot) {
        m.hint = tr("Open a problem to see what occupies fast memory over time.");
        return m;
    }
    m.capacity = snapshot->problem->capacityUnits();
    m.subgraph = selection.subgraph;
    if (snapshot->schedule.size() == 0) {
        m.hint = tr("The schedule has no subgraph yet. Drag ops in the graph to make one.");
        return m;
    }
    if (timeline && timeline->total <= 0) {
        m.hint = tr("No subgraph can run; see the list of problems.");
        return m;
    }
    m.timeline = std::move(timeline);
    m.baseline = std::move(baseline);
    if (!m.timeline)
        return m;
    m.namePrefix = previous.timeline && previous.timeline->problem == m.timeline->problem
                       ? previous.namePrefix
                       : commonPrefix(*m.timeline->problem);
    m.total = std::max(m.timeline->total, m.baseline ? m.baseline->total : 0.0);
    m.overflows = m.timeline->peak > m.capacity;
    m.largest = largestUse(*m.timeline);
    m.hasHalos = std::any_of(m.timeline->parts.begin(), m.timeline->parts.end(), [](const TimelinePart& p) {
        for (std::size_t shape = 0; p.isKnown() && shape < p.steps->shapeCount(); ++shape)
            if (p.steps->sumsOfShape(shape).halo != HaloVolume())
                return true;
        return false;
    });
    if (selection.tensor && selection.tensor->index() < m.timeline->problem->tensorCount()) {
        const bool same =
            previous.track && previous.timeline == m.timeline && previous.track->tensor == *selection.tensor;
        m.track = same ? previous.track : trackTensor(*m.timeline, *selection.tensor);
    }
    m.title = m.track ? trackText(*m.track, *m.timeline) : peakText(m);
    const auto cursor = cursorTime(*m.timeline, selection);
    m.pinned = cursor.has_value();
    m.cursor = cursor.value_or(m.timeline->peakTime);
    if (selection.subgraph && selection.subgraph->index() < m.timeline->parts.size()) {
        const TimelinePart& part = m.timeline->parts[selection.subgraph->index()];
        if (part.isKnown())
            m.contents = contentsOf(*m.timeline, selection.subgraph->index(),
                                    std::clamp<std::int64_t>(selection.step, 0, part.steps->size() - 1));
    } else {
        m.contents = contentsAt(*m.timeline, m.cursor);
    }
    if (previous.timeline == m.timeline)
        m.range = previous.range;
    return m;
}

QString rangeStepsText(const RangeSummary& r)
{
    const QString steps = r.steps.steps == 1 ? tr("1 step") : tr("%1 steps").arg(number(r.steps.steps));
    return r.firstPart == r.lastPart
               ? tr("%1 in subgraph %2").arg(steps).arg(r.firstPart)
               : tr("%1 in subgraphs %2–%3").arg(steps).arg(r.firstPart).arg(r.lastPart);
}

QString rangeAsText(const RangeSummary& r)
{
    QString out = QStringLiteral("value\tsum\tmin\tmean\tmax\n");
    const auto n = static_cast<double>(r.steps.steps);
    const auto line = [&](const char* name, const Spread& s, double mean, bool sum) {
        out +=
            textRow(std::string_view(name), sum ? std::optional(s.sum) : std::nullopt, s.low, mean, s.high);
    };
    line("latency", r.steps.latency, r.steps.latency.sum / n, true);
    line("load_elements", r.steps.loaded, r.steps.loaded.sum / n, true);
    line("store_elements", r.steps.stored, r.steps.stored.sum / n, true);
    line("working_set", r.steps.used, r.steps.meanUsed(), false);
    return out;
}

} // namespace tilewright::ui
