// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/step_statistics.h"

#include "views/memory/timeline.h"

#include <algorithm>

namespace tilewright::ui {

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
    // Millions of steps have only a few shapes.
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
    // Range ends that differ only by rounding are equal.
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
