// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/timeline.h"

#include "theme/number.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Steps kept in total, a few bytes each; subgraphs beyond that are drawn with their peak alone.
constexpr std::int64_t kKeptSteps = std::int64_t(1) << 24;

QString tr(const char* text)
{
    return QCoreApplication::translate("Memory", text);
}

} // namespace

std::optional<std::size_t> Timeline::partAt(double time) const
{
    if (parts.empty())
        return std::nullopt;
    auto it = std::upper_bound(parts.begin(), parts.end(), time,
                               [](double t, const TimelinePart& p) { return t < p.start; });
    // Subgraphs that cannot run take no time: the one that does is meant.
    while (it != parts.begin() && std::prev(it) != parts.begin() && std::prev(it)->duration == 0)
        --it;
    return it == parts.begin() ? 0 : static_cast<std::size_t>(it - parts.begin() - 1);
}

std::shared_ptr<const Timeline> buildTimeline(const Snapshot& snapshot, const Timeline* previous,
                                              const Progress& progress)
{
    auto out = std::make_shared<Timeline>();
    out->problem = snapshot.problem;
    const std::size_t n = snapshot.schedule.size();
    std::int64_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (progress.stopRequested())
            return nullptr;
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i];
        TimelinePart part;
        part.id = SubgraphId(i);
        part.key = traceKey(snapshot, part.id);
        part.start = out->total;
        if (e.structurallyValid) {
            part.duration = e.latency;
            part.peak = e.peakWorkingSet;
            for (const TensorId t : part.key.resident)
                part.resident += snapshot.problem->tensor(t).elements();
            part.retained = e.reserved - part.resident;
            if (e.steps <= StepTable::kMaxSteps && kept + e.steps <= kKeptSteps) {
                kept += e.steps;
                // Edits keep most subgraphs, and mostly in their place or moved by one or two.
                if (previous)
                    for (const std::size_t j : {i, i + 1, i == 0 ? i : i - 1})
                        if (j < previous->parts.size() && previous->parts[j].steps &&
                            previous->parts[j].key == part.key) {
                            part.steps = previous->parts[j].steps;
                            break;
                        }
                if (!part.steps)
                    part.steps = StepTable::build(*snapshot.problem, *part.key.subgraph, part.key.resident,
                                                  part.key.rules, {progress.stop, {}}, e.steps);
                if (part.steps->end() != StepTable::End::Complete)
                    part.steps.reset();
            }
        }
        if (part.peak > out->peak) {
            out->peak = part.peak;
            out->peakPart = i;
            out->peakTime = part.start;
            if (part.steps)
                out->peakTime += part.steps->start(part.steps->extremes(0, part.steps->size()).largest);
        }
        out->total += part.duration;
        out->parts.push_back(std::move(part));
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(n));
    }
    return progress.stopRequested() ? nullptr : out;
}

Occupancy occupancyOf(const TimelinePart& part, std::int64_t step)
{
    const StepSums& s = part.steps->sums(step);
    return {part.resident, part.retained, s.inputElements - s.donatedElements, s.accumulatorElements,
            s.outputElements};
}

std::vector<TimelineColumn> timelineColumns(const Timeline& timeline, double from, double to, int width)
{
    std::vector<TimelineColumn> out(static_cast<std::size_t>(std::max(0, width)));
    if (timeline.parts.empty() || !(to > from))
        return out;
    const double perPixel = (to - from) / width;
    std::size_t first = *timeline.partAt(from);
    for (int x = 0; x < width; ++x) {
        const double t0 = from + perPixel * x;
        const double t1 = t0 + perPixel;
        if (t0 >= timeline.total)
            break;
        while (first + 1 < timeline.parts.size() && timeline.parts[first].end() <= t0)
            ++first;
        TimelineColumn& column = out[static_cast<std::size_t>(x)];
        for (std::size_t p = first; p < timeline.parts.size() && timeline.parts[p].start < t1; ++p) {
            const TimelinePart& part = timeline.parts[p];
            if (part.duration <= 0)
                continue;
            Occupancy high;
            std::int64_t low = 0;
            const bool known = part.steps && part.steps->size() > 0;
            if (known) {
                const StepTable& steps = *part.steps;
                const std::int64_t a = t0 <= part.start ? 0 : steps.stepAt(t0 - part.start);
                std::int64_t b = steps.size() - 1;
                if (t1 < part.end()) {
                    b = steps.stepAt(t1 - part.start);
                    if (b > a && steps.start(b) >= t1 - part.start) // starts with the next column
                        --b;
                }
                const StepTable::Extremes e = steps.extremes(a, std::max(a, b) + 1);
                high = occupancyOf(part, e.largest);
                low = steps.sums(e.smallest).workingSet;
            } else {
                high = {part.resident, part.retained, part.peak - part.resident - part.retained, 0, 0};
                low = part.peak;
            }
            if (column.empty || high.total() > column.high.total()) {
                column.high = high;
                column.peakOnly = !known;
            }
            column.low = column.empty ? low : std::min(column.low, low);
            column.empty = false;
        }
    }
    return out;
}

Residents residentsOf(const Timeline& timeline, std::size_t index, std::int64_t stepIndex)
{
    using Kind = ResidentItem::Kind;
    const TimelinePart& part = timeline.parts[index];
    const Problem& problem = *timeline.problem;
    const Step s = part.steps->step(stepIndex);
    Residents out;
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
        add(Kind::Resident, t, problem.tensor(t).elements(), tr("by the subgraph before"));
    for (const TensorId t : part.key.subgraph->retain)
        if (std::find(part.key.resident.begin(), part.key.resident.end(), t) == part.key.resident.end())
            add(Kind::Retained, t, problem.tensor(t).elements(), tr("for the next subgraph"));
    const auto slice = [](const Rect& r) {
        return QStringLiteral("[%1:%2, %3:%4]").arg(r.r0).arg(r.r1).arg(r.c0).arg(r.c1);
    };
    for (const StepBuffer& b : s.buffers)
        add(Kind::Input, b.tensor, b.rect.area(),
            (b.loaded ? tr("loaded %1") : tr("reused %1")).arg(b.full ? tr("whole") : slice(b.rect)));
    for (const StepSink& k : s.sinks) {
        add(Kind::Accumulator, k.tensor, k.accumulators, tr("partial sums behind its tile"));
        add(Kind::Output, k.tensor, k.outputElements,
            (k.completes ? tr("stored %1") : tr("being summed up %1")).arg(slice(k.tile)));
    }
    if (s.donatedElements > 0 && !s.sinks.empty())
        add(Kind::Donated, s.sinks.front().tensor, -s.donatedElements, tr("output in the place of an input"));
    std::stable_sort(out.items.begin(), out.items.end(), [](const ResidentItem& a, const ResidentItem& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.elements > b.elements;
    });
    return out;
}

std::optional<Residents> residentsAt(const Timeline& timeline, double time)
{
    const auto part = timeline.partAt(time);
    if (!part || !timeline.parts[*part].steps || timeline.parts[*part].steps->size() == 0)
        return std::nullopt;
    return residentsOf(timeline, *part,
                       timeline.parts[*part].steps->stepAt(time - timeline.parts[*part].start));
}

std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to)
{
    if (timeline.parts.empty() || !(to > from))
        return std::nullopt;
    RangeSummary out;
    double area = 0;
    double time = 0;
    bool any = false;
    for (std::size_t p = *timeline.partAt(from); p < timeline.parts.size() && timeline.parts[p].start < to;
         ++p) {
        const TimelinePart& part = timeline.parts[p];
        if (part.duration <= 0)
            continue;
        if (!part.steps)
            return std::nullopt;
        const StepTable& steps = *part.steps;
        const double a = std::max(0.0, from - part.start);
        const double b = std::min(part.duration, to - part.start);
        double start = steps.start(steps.stepAt(a));
        for (std::int64_t i = steps.stepAt(a); i < steps.size() && start < b; ++i) {
            const StepSums& s = steps.sums(i);
            const double overlap = std::min(b, start + s.latency) - std::max(a, start);
            if (overlap > 0) {
                area += overlap * static_cast<double>(s.workingSet);
                time += overlap;
                out.high = any ? std::max(out.high, s.workingSet) : s.workingSet;
                out.low = any ? std::min(out.low, s.workingSet) : s.workingSet;
                any = true;
            }
            start += s.latency;
        }
    }
    if (!any)
        return std::nullopt;
    out.mean = area / time;
    return out;
}

double snapToStep(const Timeline& timeline, double time)
{
    const auto r = residentsAt(timeline, time);
    if (!r)
        return time;
    return time - r->start < r->end - time ? r->start : r->end;
}

} // namespace tilewright::ui
