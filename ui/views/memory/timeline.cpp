// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/timeline.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

bool contains(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

bool touches(const Problem& problem, const TraceKey& key, TensorId t)
{
    if (contains(key.resident, t) || contains(key.subgraph->retain, t))
        return true;
    return std::any_of(key.subgraph->ops.begin(), key.subgraph->ops.end(), [&](OpId o) {
        const Op& op = problem.op(o);
        return op.output == t || contains(op.inputs, t);
    });
}

MemoryUse useIn(const Step& step, const TraceKey& key, TensorId t, std::int64_t elements)
{
    MemoryUse use;
    if (contains(key.resident, t))
        use.resident = elements;
    else if (contains(key.subgraph->retain, t))
        use.retained = elements;
    for (const StepBuffer& b : step.buffers)
        if (b.tensor == t)
            use.input += b.size;
    for (const StepSink& k : step.sinks)
        if (k.tensor == t) {
            use.accumulator += k.accumulators;
            use.output += k.outputElements;
        }
    for (const StepInterior& k : step.interiors)
        if (k.tensor == t)
            use.interior += k.size;
    // An output in the place of an input (R9.6) is counted once.
    use.input = std::min(use.input, step.inputElements - step.donatedElements);
    return use;
}

} // namespace

MemoryUse TensorTrack::use(const Timeline& timeline, std::size_t part, std::int64_t step) const
{
    return isIn(part) ? parts[part].byShape[timeline.parts[part].steps->shapeOf(step)] : MemoryUse();
}

std::shared_ptr<const TensorTrack> trackTensor(const Timeline& timeline, TensorId tensor)
{
    auto track = std::make_shared<TensorTrack>();
    track->tensor = tensor;
    track->parts.resize(timeline.parts.size());
    const std::int64_t elements = timeline.problem->sizeUnits(tensor);
    for (std::size_t p = 0; p < timeline.parts.size(); ++p) {
        const TimelinePart& part = timeline.parts[p];
        if (!part.isKnown() || !touches(*timeline.problem, part.key, tensor))
            continue;
        // One step of each shape is evaluated.
        const StepTable& table = *part.steps;
        std::vector<std::int64_t> counts(table.shapeCount(), 0);
        std::vector<MemoryUse> uses(table.shapeCount());
        for (std::int64_t i = 0; i < table.size(); ++i)
            if (const std::size_t shape = table.shapeOf(i); ++counts[shape] == 1)
                uses[shape] = useIn(table.step(i), part.key, tensor, elements);
        TensorTrack::Part& out = track->parts[p];
        for (std::size_t shape = 0; shape < uses.size(); ++shape)
            if (const std::int64_t n = uses[shape].total(); n > 0) {
                out.high = std::max(out.high, n);
                out.time += static_cast<double>(counts[shape]) * table.sumsOfShape(shape).latency;
            }
        if (out.high > 0)
            out.byShape = std::move(uses);
        track->high = std::max(track->high, out.high);
        track->time += out.time;
    }
    return track;
}

QString subgraphsText(const TensorTrack& track)
{
    QStringList runs;
    for (std::size_t i = 0; i < track.parts.size(); ++i) {
        if (!track.isIn(i))
            continue;
        std::size_t last = i;
        while (last + 1 < track.parts.size() && track.isIn(last + 1))
            ++last;
        runs << (last > i ? QStringLiteral("%1–%2").arg(i).arg(last) : QString::number(i));
        i = last;
    }
    return runs.join(QStringLiteral(", "));
}

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
    const auto unitsOf = [&](double elements) {
        return std::llround(elements * static_cast<double>(snapshot.problem->unitsPerElement()));
    };
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
            part.compute = e.compute;
            const auto moved = static_cast<double>(e.loadElements + e.storeElements);
            part.load = moved > 0 ? e.memory * static_cast<double>(e.loadElements) / moved : 0;
            part.store = e.memory - part.load;
            part.peak = unitsOf(e.peakWorkingSet);
            for (const TensorId t : part.key.resident)
                part.resident += snapshot.problem->sizeUnits(t);
            part.retained = unitsOf(e.reserved) - part.resident;
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
    return {part.resident,
            part.retained,
            s.inputElements - s.donatedElements,
            s.interiorElements,
            s.accumulatorElements,
            s.outputElements,
            s.halo};
}

MemoryUse largestUse(const Timeline& timeline)
{
    MemoryUse out;
    const auto include = [](std::int64_t& most, std::int64_t now) { most = std::max(most, now); };
    for (const TimelinePart& part : timeline.parts) {
        include(out.resident, part.resident);
        include(out.retained, part.retained);
        if (!part.isKnown())
            include(out.input, part.peak - part.resident - part.retained);
        for (std::size_t shape = 0; part.isKnown() && shape < part.steps->shapeCount(); ++shape) {
            const StepSums& s = part.steps->sumsOfShape(shape);
            include(out.input, s.inputElements - s.donatedElements);
            include(out.interior, s.interiorElements);
            include(out.accumulator, s.accumulatorElements);
            include(out.output, s.outputElements);
        }
    }
    return out;
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
            MemoryUse high{
                part.resident, part.retained, part.peak - part.resident - part.retained, 0, 0, 0, {}};
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

namespace {

void include(Spread& spread, double value, double weight)
{
    spread.sum += value * weight;
    spread.low = std::min(spread.low, value);
    spread.high = std::max(spread.high, value);
}

void merge(Spread& spread, const Spread& other)
{
    spread.sum += other.sum;
    spread.low = std::min(spread.low, other.low);
    spread.high = std::max(spread.high, other.high);
}

} // namespace

void StepStatistics::add(const StepSums& step, std::int64_t count, double share)
{
    if (count == 0 || !(step.latency * share > 0))
        return;
    const auto n = static_cast<double>(count);
    steps += count;
    include(latency, step.latency * share, n);
    include(loaded, static_cast<double>(step.loadElements) * share, n);
    include(stored, static_cast<double>(step.storeElements) * share, n);
    include(used, static_cast<double>(step.workingSet), n * step.latency * share);
}

void StepStatistics::add(const StepStatistics& other)
{
    steps += other.steps;
    merge(latency, other.latency);
    merge(loaded, other.loaded);
    merge(stored, other.stored);
    merge(used, other.used);
}

void StepStatistics::add(const StepTable& table, std::int64_t first, std::int64_t last)
{
    // Steps are counted by shape, because millions of steps have only a few shapes.
    std::vector<std::int64_t> counts(table.shapeCount(), 0);
    for (std::int64_t i = first; i < last; ++i)
        ++counts[table.shapeOf(i)];
    for (std::size_t shape = 0; shape < counts.size(); ++shape)
        add(table.sumsOfShape(shape), counts[shape]);
}

std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to)
{
    const auto first = timeline.partAt(from);
    if (!first || !(to > from))
        return std::nullopt;
    // Ends of the range that differ from ends of steps only by rounding count as equal.
    const double tiny = 1e-12 * timeline.total;
    RangeSummary out;
    out.from = from;
    out.to = to;
    for (std::size_t p = *first; p < timeline.parts.size() && timeline.parts[p].start < to; ++p) {
        const TimelinePart& part = timeline.parts[p];
        if (part.duration <= 0 || part.end() - from <= tiny || to - part.start <= tiny)
            continue;
        if (!part.isKnown())
            return std::nullopt;
        if (out.steps.steps == 0)
            out.firstPart = p;
        out.lastPart = p;
        if (from <= part.start + tiny && part.end() <= to + tiny) {
            out.steps.add(part.all);
            continue;
        }
        const StepTable& table = *part.steps;
        const double a = std::max(0.0, from - part.start);
        const double b = std::min(part.duration, to - part.start);
        const std::int64_t i = table.stepAt(a);
        const std::int64_t j = table.stepAt(b);
        const auto cut = [&](std::int64_t step) {
            const StepSums& sums = table.sums(step);
            const double start = table.start(step);
            const double inside = std::min(b, start + sums.latency) - std::max(a, start);
            if (inside > tiny)
                out.steps.add(sums, 1, inside / sums.latency);
        };
        cut(i);
        out.steps.add(table, i + 1, j);
        if (j > i)
            cut(j);
    }
    if (out.steps.steps == 0)
        return std::nullopt;
    return out;
}

} // namespace tilewright::ui
