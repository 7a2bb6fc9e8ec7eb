// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_model.h"

#include "theme/number.h"

#include <QCoreApplication>

#include <algorithm>

namespace tilewright::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Memory", text);
}

} // namespace

std::optional<double> cursorTime(const Timeline& timeline, const SelectionState& selection)
{
    if (!selection.subgraph || selection.subgraph->index() >= timeline.parts.size())
        return selection.time && *selection.time <= timeline.total ? selection.time : std::nullopt;
    const TimelinePart& part = timeline.parts[selection.subgraph->index()];
    if (!part.steps || part.steps->size() == 0)
        return part.start;
    const std::int64_t step = std::clamp<std::int64_t>(selection.step, 0, part.steps->size() - 1);
    const double from = part.start + part.steps->start(step);
    const double to = from + part.steps->sums(step).latency;
    return selection.time && *selection.time >= from && *selection.time < to ? *selection.time : from;
}

MemoryModel buildMemory(const Snapshot* snapshot, const SelectionState& selection,
                        std::shared_ptr<const Timeline> timeline, std::shared_ptr<const Timeline> baseline)
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
        m.hint = tr("No subgraph can run; the list of problems says why.");
        return m;
    }
    m.timeline = std::move(timeline);
    m.baseline = std::move(baseline);
    if (!m.timeline)
        return m;
    m.total = std::max(m.timeline->total, m.baseline ? m.baseline->total : 0.0);
    m.overflows = m.timeline->peak > m.capacity;
    m.title = tr("Peak %1 of %2 elements (%3) in subgraph %4")
                  .arg(number(m.timeline->peak), number(m.capacity),
                       percent(static_cast<double>(m.timeline->peak) / static_cast<double>(m.capacity)))
                  .arg(m.timeline->peakPart);
    if (m.overflows)
        m.title += tr(": does not fit");
    const auto cursor = cursorTime(*m.timeline, selection);
    m.pinned = cursor.has_value();
    m.cursor = cursor.value_or(m.timeline->peakTime);
    if (selection.subgraph && selection.subgraph->index() < m.timeline->parts.size()) {
        const TimelinePart& part = m.timeline->parts[selection.subgraph->index()];
        if (part.steps && part.steps->size() > 0)
            m.residents = residentsOf(*m.timeline, selection.subgraph->index(),
                                      std::clamp<std::int64_t>(selection.step, 0, part.steps->size() - 1));
    } else {
        m.residents = residentsAt(*m.timeline, m.cursor);
    }
    return m;
}

QString residentKindText(ResidentItem::Kind kind)
{
    switch (kind) {
    case ResidentItem::Kind::Resident:
        return tr("resident");
    case ResidentItem::Kind::Retained:
        return tr("retained");
    case ResidentItem::Kind::Input:
        return tr("input");
    case ResidentItem::Kind::Accumulator:
        return tr("accumulator");
    case ResidentItem::Kind::Output:
        return tr("output");
    case ResidentItem::Kind::Donated:
        break;
    }
    return tr("donated");
}

QString residentsTooltip(const Residents& r, const Timeline& timeline, std::int64_t capacity)
{
    QString text = tr("<b>Subgraph %1, step %2</b><br>from %3 to %4")
                       .arg(timeline.parts[r.part].id.index())
                       .arg(r.step)
                       .arg(exactNumber(r.start), exactNumber(r.end));
    text += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    for (const ResidentItem& i : r.items)
        text += QStringLiteral("<tr><td>%1&nbsp;</td><td>%2&nbsp;</td><td align='right'>%3</td></tr>")
                    .arg(residentKindText(i.kind), i.name.toHtmlEscaped(), number(i.elements));
    text += tr("<tr><td colspan='2'><b>together</b></td><td align='right'><b>%1</b></td></tr>")
                .arg(number(r.total));
    text +=
        tr("<tr><td colspan='2'>capacity</td><td align='right'>%1</td></tr></table>").arg(number(capacity));
    return text;
}

QString residentsAsText(const Residents& r)
{
    QString out = QStringLiteral("kind\ttensor\telements\tdetail\n");
    for (const ResidentItem& i : r.items)
        out += QStringLiteral("%1\t%2\t%3\t%4\n")
                   .arg(residentKindText(i.kind), i.name, QString::number(i.elements), i.detail);
    return out;
}

} // namespace tilewright::ui
