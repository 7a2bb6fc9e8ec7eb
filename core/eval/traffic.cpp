// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/traffic.h"

#include "eval/trace.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright {

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

} // namespace

std::optional<std::vector<TensorTraffic>> tensorTraffic(const Problem& problem, const Subgraph& subgraph,
                                                        std::span<const TensorId> residentBefore,
                                                        const Rules& rules, std::int64_t maxSteps,
                                                        const std::stop_token& stop)
{
    constexpr std::int64_t kStepsBetweenChecks = 1024;
    std::map<TensorId, TensorTraffic> sums;
    std::map<TensorId, std::set<Rect>> kept; // R9.7: every element of a retained input is loaded only once
    bool complete = true;
    traceSubgraph(problem, subgraph, residentBefore, rules, [&](const Step& step) {
        if (step.index >= maxSteps || (step.index % kStepsBetweenChecks == 0 && stop.stop_requested())) {
            complete = false;
            return false;
        }
        for (const StepBuffer& buffer : step.buffers)
            if (buffer.loaded)
                sums[buffer.tensor].load += buffer.rect.area();
        for (const StepBuffer& buffer : step.keptLoads)
            kept[buffer.tensor].insert(buffer.rect);
        for (const StepSink& sink : step.sinks)
            if (sink.stored)
                sums[sink.tensor].store += sink.tile.area();
        return true;
    });
    if (!complete)
        return std::nullopt;
    for (const auto& [tensor, rects] : kept)
        sums[tensor].load += unionArea(rects);
    std::vector<TensorTraffic> out;
    for (auto& [tensor, traffic] : sums) {
        traffic.tensor = tensor;
        if (traffic.load > 0 || traffic.store > 0)
            out.push_back(traffic);
    }
    return out;
}

} // namespace tilewright
