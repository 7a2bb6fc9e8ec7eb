// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_model.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

QString peakText(const MemoryModel& m)
{
    const QString text =
        tr("Peak %1 of %2 elements (%3) in subgraph %4")
            .arg(number(m.timeline->peak), number(m.capacity),
                 percent(static_cast<double>(m.timeline->peak) / static_cast<double>(m.capacity)))
            .arg(m.timeline->peakPart);
    return m.overflows ? text + tr(": does not fit") : text;
}

QString trackText(const TensorTrack& track, const Timeline& timeline)
{
    const QString name = QString::fromStdString(timeline.problem->tensorName(track.tensor));
    if (track.high == 0)
        return tr("%1 has no memory of its own in fast memory").arg(name);
    const auto holders = std::count_if(track.parts.begin(), track.parts.end(),
                                       [](const TensorTrack::Part& p) { return p.high > 0; });
    return (holders == 1 ? tr("%1: up to %2 elements in subgraph %3, %4 of the time")
                         : tr("%1: up to %2 elements in subgraphs %3, %4 of the time"))
        .arg(name, number(track.high), subgraphsText(track), percent(track.time / timeline.total));
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
    m.capacity = snapshot->problem->hardware().fastMemoryCapacity;
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
    m.total = std::max(m.timeline->total, m.baseline ? m.baseline->total : 0.0);
    m.overflows = m.timeline->peak > m.capacity;
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
