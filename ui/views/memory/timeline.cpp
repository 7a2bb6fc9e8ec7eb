// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/timeline.h"

#include "views/memory/tensor_track.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

/// Limit of steps kept in total, a few bytes each; subgraphs beyond it are drawn with their peak only.
constexpr std::int64_t kKeptSteps = std::int64_t(1) << 24;

} // namespace

std::optional<std::size_t> Timeline::partAt(double time) const
{
    if (parts.empty())
        return std::nullopt;
    auto it = std::upper_bound(parts.begin(), parts.end(), time,
                               [](double t, const TimelinePart& p) { return t < p.start; });
    // Subgraphs that cannot run have duration 0 and are skipped.
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
                // Edits keep most subgraphs, usually at the same position or one or two further.
                if (previous)
                    for (const std::size_t j : {i, i + 1, i == 0 ? i : i - 1})
                        if (j < previous->parts.size() && previous->parts[j].steps &&
                            previous->parts[j].key == part.key) {
                            part.steps = previous->parts[j].steps;
                            part.all = previous->parts[j].all;
                            break;
                        }
                if (!part.steps) {
                    part.steps = StepTable::build(*snapshot.problem, *part.key.subgraph, part.key.resident,
                                                  part.key.rules, {progress.stop, {}}, e.steps);
                    part.all.add(*part.steps, 0, part.steps->size());
                }
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

MemoryUse memoryUse(const TimelinePart& part, std::int64_t step)
{
    const StepSums& s = part.steps->sums(step);
    return {part.resident, part.retained, s.inputElements - s.donatedElements, s.accumulatorElements,
            s.outputElements};
}

namespace {

/// The steps of a part between two times, as [first, last].
std::pair<std::int64_t, std::int64_t> stepsBetween(const TimelinePart& part, double from, double to)
{
    const StepTable& steps = *part.steps;
    const std::int64_t a = from <= part.start ? 0 : steps.stepAt(from - part.start);
    std::int64_t b = steps.size() - 1;
    if (to < part.end()) {
        b = steps.stepAt(to - part.start);
        if (b > a && steps.start(b) >= to - part.start) // starts with the next column
            --b;
    }
    return {a, std::max(a, b)};
}

bool isIn(const TensorTrack& track, const Timeline& timeline, std::size_t part, std::int64_t first,
          std::int64_t last)
{
    if (track.isIn(part))
        for (std::int64_t i = first; i <= last; ++i)
            if (track.use(timeline, part, i).total() > 0)
                return true;
    return false;
}

} // namespace

std::vector<TimelineColumn> timelineColumns(const Timeline& timeline, double from, double to, int width,
                                            const TensorTrack* track)
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
            MemoryUse high{part.resident, part.retained, part.peak - part.resident - part.retained, 0, 0};
            MemoryUse tensor;
            std::int64_t low = part.peak;
            if (part.isKnown()) {
                const auto [a, b] = stepsBetween(part, t0, t1);
                const StepTable::Extremes e = part.steps->extremes(a, b + 1);
                high = memoryUse(part, e.largest);
                low = part.steps->sums(e.smallest).workingSet;
                if (track) {
                    tensor = track->use(timeline, p, e.largest);
                    column.tensorIn = column.tensorIn || isIn(*track, timeline, p, a, b);
                }
            }
            if (column.empty || high.total() > column.high.total()) {
                column.high = high;
                column.tensor = tensor;
                column.peakOnly = !part.isKnown();
            }
            column.low = column.empty ? low : std::min(column.low, low);
            column.empty = false;
        }
    }
    return out;
}

double snapToBoundary(const Timeline& timeline, double time, double tolerance)
{
    const auto index = timeline.partAt(time);
    if (!index)
        return time;
    const TimelinePart& part = timeline.parts[*index];
    const auto nearer = [time](double a, double b) { return time - a < b - time ? a : b; };
    const double border = nearer(part.start, part.end());
    if (std::abs(border - time) <= tolerance || !part.isKnown())
        return border;
    const std::int64_t step = part.steps->stepAt(time - part.start);
    const double start = part.start + part.steps->start(step);
    return nearer(start, start + part.steps->sums(step).latency);
}

} // namespace tilewright::ui
