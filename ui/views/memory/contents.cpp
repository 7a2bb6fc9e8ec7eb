// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/contents.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

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
    const auto add = [&](Kind kind, TensorId t, std::int64_t elements, const QString& detail) {
        if (elements != 0)
            out.items.push_back({kind, t, QString::fromStdString(problem.tensorName(t)), detail, elements});
    };
    for (const TensorId t : part.key.resident)
        add(Kind::Resident, t, problem.tensor(t).elements(), tr("by the previous subgraph"));
    for (const TensorId t : part.key.subgraph->retain)
        if (std::find(part.key.resident.begin(), part.key.resident.end(), t) == part.key.resident.end())
            add(Kind::Retained, t, problem.tensor(t).elements(), tr("for the next subgraph"));
    const auto slice = [](const Rect& r) {
        return QStringLiteral("[%1:%2, %3:%4]").arg(r.r0).arg(r.r1).arg(r.c0).arg(r.c1);
    };
    for (const StepBuffer& b : s.buffers)
        add(Kind::Input, b.tensor, b.rect.area(),
            (problem.isView(b.tensor) ? tr("view, ") : QString()) +
                (b.loaded ? tr("loaded %1") : tr("reused %1")).arg(b.full ? tr("whole") : slice(b.rect)));
    for (const StepSink& k : s.sinks) {
        add(Kind::Accumulator, k.tensor, k.accumulators, tr("partial sums of the MatMuls behind its tile"));
        add(Kind::Output, k.tensor, k.outputElements,
            (k.completes ? tr("stored %1") : tr("partial sum %1")).arg(slice(k.tile)));
    }
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

QString contentKindText(ContentItem::Kind kind)
{
    switch (kind) {
    case ContentItem::Kind::Resident:
        return tr("resident");
    case ContentItem::Kind::Retained:
        return tr("retained");
    case ContentItem::Kind::Input:
        return tr("input");
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
                    .arg(contentKindText(i.kind), i.name.toHtmlEscaped(), number(i.elements));
    text +=
        tr("<tr><td colspan='2'><b>total</b></td><td align='right'><b>%1</b></td></tr>").arg(number(c.total));
    text +=
        tr("<tr><td colspan='2'>capacity</td><td align='right'>%1</td></tr></table>").arg(number(capacity));
    return text;
}

QString contentsAsText(const MemoryContents& c)
{
    QString out = QStringLiteral("kind\ttensor\telements\tdetail\n");
    for (const ContentItem& i : c.items)
        out += textRow(contentKindText(i.kind), i.name, i.elements, i.detail);
    return out;
}

} // namespace tilewright::ui
