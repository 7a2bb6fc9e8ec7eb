// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/memory_use.h"

#include "rules/check.h"
#include "workload/index_map.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <variant>

namespace tilewright {

namespace {

std::int64_t elements(const Problem& problem, std::span<const TensorId> tensors)
{
    std::int64_t sum = 0;
    for (const TensorId t : tensors)
        sum += problem.sizeUnits(t);
    return sum;
}

bool sameParts(const OccupancySegment& a, const OccupancySegment& b)
{
    return a.subgraph == b.subgraph && a.resident == b.resident && a.retained == b.retained &&
           a.input == b.input && a.output == b.output && a.accumulator == b.accumulator &&
           a.interior == b.interior && a.donated == b.donated;
}

void append(std::vector<OccupancySegment>& segments, const OccupancySegment& s)
{
    if (!segments.empty() && segments.back().exact && s.exact && sameParts(segments.back(), s)) {
        segments.back().end = s.end;
        segments.back().steps += s.steps;
    } else if (s.end > s.start) {
        segments.push_back(s);
    }
}

} // namespace

const OccupancySegment* Occupancy::at(double time) const
{
    const auto it = std::upper_bound(segments.begin(), segments.end(), time,
                                     [](double t, const OccupancySegment& s) { return t < s.end; });
    return it != segments.end() && time >= it->start ? &*it : nullptr;
}

Occupancy occupancy(const Problem& problem, const Schedule& schedule, const Rules& rules,
                    const Progress& progress, const OccupancyOptions& options)
{
    const Evaluation evaluation = evaluate(problem, schedule, rules);
    Occupancy out;
    out.capacity = problem.capacityUnits();
    for (std::size_t i = 0; i < schedule.size() && out.complete; ++i) {
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        if (!e.structurallyValid)
            continue;
        const std::vector<TensorId> resident = residentBefore(problem, schedule, rules, SubgraphId(i));
        OccupancySegment s;
        s.subgraph = SubgraphId(i);
        s.resident = elements(problem, resident);
        s.retained = reservedUnits(problem, resident, schedule.subgraphs[i]->retain) - s.resident;
        OccupancySegment fullest = s;
        std::int64_t walked = 0;
        const double begin = out.end;
        traceSubgraph(problem, *schedule.subgraphs[i], resident, rules, [&](const Step& step) {
            if (progress.stopRequested()) {
                out.complete = false;
                return false;
            }
            if (walked == options.maxSteps)
                return false;
            ++walked;
            s.start = begin + step.start;
            s.end = begin + step.start + step.latency;
            s.firstStep = step.index;
            s.input = step.inputElements;
            s.output = step.outputElements;
            s.accumulator = step.accumulatorElements;
            s.interior = step.interiorElements;
            s.donated = step.donatedElements;
            append(out.segments, s);
            if (s.total() > fullest.total() || walked == 1)
                fullest = s;
            if (s.total() > out.peak) {
                out.peak = s.total();
                out.peakTime = s.start;
                out.peakSubgraph = s.subgraph;
            }
            return true;
        });
        const double end = begin + e.latency;
        if (out.complete && walked < e.steps) {
            fullest.start = s.end;
            fullest.end = end;
            fullest.firstStep = walked;
            fullest.steps = e.steps - walked;
            fullest.exact = false;
            append(out.segments, fullest);
            if (const auto peak =
                    std::llround(e.peakWorkingSet * static_cast<double>(problem.unitsPerElement()));
                peak > out.peak) {
                out.peak = peak;
                out.peakTime = s.end;
                out.peakSubgraph = s.subgraph;
            }
        }
        // The sum over steps and the closed form differ in the last digits, so the end is set exactly.
        if (out.complete && !out.segments.empty() && out.segments.back().subgraph == SubgraphId(i))
            out.segments.back().end = std::max(out.segments.back().start, end);
        out.end = out.complete ? end : s.end;
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(schedule.size()), "memory");
    }
    return out;
}

std::optional<ResidentsAtInstant> residentsAt(const Problem& problem, const Schedule& schedule,
                                              const Rules& rules, double time)
{
    const Evaluation evaluation = evaluate(problem, schedule, rules);
    double begin = 0;
    std::size_t i = 0;
    while (i < schedule.size() &&
           (!evaluation.subgraphs[i].structurallyValid || time >= begin + evaluation.subgraphs[i].latency))
        begin += evaluation.subgraphs[i++].latency;
    if (time < 0 || i == schedule.size())
        return std::nullopt;

    const Subgraph& subgraph = *schedule.subgraphs[i];
    const std::vector<TensorId> resident = residentBefore(problem, schedule, rules, SubgraphId(i));
    ResidentsAtInstant out;
    out.subgraph = SubgraphId(i);
    for (const TensorId t : resident)
        out.residents.push_back({Resident::Kind::Resident, t, problem.sizeUnits(t), {}, {}, false});
    for (const TensorId t : subgraph.retain)
        if (std::find(resident.begin(), resident.end(), t) == resident.end())
            out.residents.push_back({Resident::Kind::Retained, t, problem.sizeUnits(t), {}, {}, false});
    traceSubgraph(problem, subgraph, resident, rules, [&](const Step& step) {
        // Due to rounding the time may lie behind the last step; then the last step is used.
        const bool last = step.index + 1 == evaluation.subgraphs[i].steps;
        if (!last && time >= begin + step.start + step.latency)
            return true;
        out.step = step.index;
        out.start = begin + step.start;
        out.end = begin + step.start + step.latency;
        out.workingSet = step.workingSet;
        for (const StepBuffer& b : step.buffers)
            out.residents.push_back({Resident::Kind::Input, b.tensor, b.size,
                                     b.full ? std::nullopt : std::optional(b.rect), b.role, b.loaded});
        for (const StepSink& s : step.sinks) {
            if (s.outputElements > 0)
                out.residents.push_back(
                    {Resident::Kind::Output, s.tensor, s.outputElements, s.tile, {}, false});
            if (s.accumulators > 0)
                out.residents.push_back(
                    {Resident::Kind::Accumulator, s.tensor, s.accumulators, s.tile, {}, false});
        }
        for (const StepInterior& s : step.interiors)
            out.residents.push_back({Resident::Kind::Interior, s.tensor, s.size, s.rect, {}, false});
        return false;
    });
    std::stable_sort(out.residents.begin(), out.residents.end(),
                     [](const Resident& a, const Resident& b) { return a.elements > b.elements; });
    return out;
}

namespace {

std::int64_t unionArea(const std::set<Rect>& rects)
{
    std::vector<std::int64_t> rows;
    for (const Rect& r : rects) {
        rows.push_back(r.r0);
        rows.push_back(r.r1);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::int64_t area = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> columns;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        columns.clear();
        for (const Rect& r : rects)
            if (r.r0 <= rows[i] && r.r1 >= rows[i + 1])
                columns.emplace_back(r.c0, r.c1);
        std::sort(columns.begin(), columns.end());
        std::int64_t width = 0, reached = 0;
        for (const auto& [from, to] : columns) {
            width += std::max<std::int64_t>(0, to - std::max(from, reached));
            reached = std::max(reached, to);
        }
        area += width * (rows[i + 1] - rows[i]);
    }
    return area;
}

/// What the buffers of a tensor, or of a view of it, loaded.
struct Loaded
{
    std::map<Rect, std::int64_t> slices; ///< for a view with a map: units of each different slice
    bool direct = false;                 ///< the tensor itself
};

/// Adds what is loaded of a tensor if each element of it were loaded only once, and its halos.
void addOnce(const Problem& problem, TensorId tensor, const Loaded& loaded, TensorTraffic& traffic)
{
    const std::int64_t size = problem.sizeUnits(traffic.tensor);
    if (loaded.direct) { // all of it is read: the ops of a subgraph are computed as a whole
        traffic.once = size;
        return;
    }
    Rect all = loaded.slices.begin()->first;
    std::int64_t slices = 0;
    for (const auto& [rect, units] : loaded.slices) {
        all = {std::min(all.r0, rect.r0), std::max(all.r1, rect.r1), std::min(all.c0, rect.c0),
               std::max(all.c1, rect.c1)};
        slices += units;
    }
    const IndexMap& map = *problem.map(tensor);
    const std::int64_t touched = footprint(map, all).volume * problem.units(tensor);
    traffic.once = std::min(size, traffic.once + touched);
    if (std::holds_alternative<WindowsMap>(map))
        traffic.halo += std::max<std::int64_t>(0, slices - touched);
}

} // namespace

std::optional<std::vector<TensorTraffic>> tensorTraffic(const Problem& problem, const Subgraph& subgraph,
                                                        std::span<const TensorId> residentBefore,
                                                        const Rules& rules, std::int64_t maxSteps,
                                                        const std::stop_token& stop)
{
    constexpr std::int64_t kStepsBetweenChecks = 1024;
    std::map<TensorId, TensorTraffic> sums;
    std::map<TensorId, std::set<Rect>> kept; // R9.7: every element of a retained input is loaded only once
    std::map<TensorId, Loaded> loads;        // of each tensor and of each view
    bool complete = true;
    traceSubgraph(problem, subgraph, residentBefore, rules, [&](const Step& step) {
        if (step.index >= maxSteps || (step.index % kStepsBetweenChecks == 0 && stop.stop_requested())) {
            complete = false;
            return false;
        }
        for (const StepBuffer& buffer : step.buffers)
            if (buffer.loaded) {
                sums[problem.stored(buffer.tensor)].load += buffer.size;
                Loaded& loaded = loads[buffer.tensor];
                if (problem.map(buffer.tensor) == nullptr)
                    loaded.direct = true;
                else
                    loaded.slices[buffer.rect] = buffer.size;
            }
        for (const StepBuffer& buffer : step.keptLoads)
            kept[buffer.tensor].insert(buffer.rect);
        for (const StepSink& sink : step.sinks)
            if (sink.stored)
                sums[sink.tensor].store += sink.storedElements;
        return true;
    });
    if (!complete)
        return std::nullopt;
    for (auto& [tensor, traffic] : sums)
        traffic.tensor = tensor;
    for (const auto& [tensor, loaded] : loads)
        addOnce(problem, tensor, loaded, sums[problem.stored(tensor)]);
    for (const auto& [tensor, rects] : kept) {
        TensorTraffic& traffic = sums[tensor];
        const std::int64_t units = unionArea(rects) * problem.units(tensor);
        traffic.tensor = tensor;
        traffic.load += units;
        traffic.once += units;
    }
    std::vector<TensorTraffic> out;
    for (auto& [tensor, traffic] : sums) {
        traffic.once = std::min(traffic.once, traffic.load);
        traffic.halo = std::min(traffic.halo, traffic.load - traffic.once);
        if (traffic.load > 0 || traffic.store > 0)
            out.push_back(traffic);
    }
    return out;
}

} // namespace tilewright
