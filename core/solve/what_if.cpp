// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/what_if.h"

#include "solve/solver.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

namespace {

std::int64_t scaled(std::int64_t value, double factor)
{
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(value) * factor));
}

} // namespace

Result<ProblemPtr> withHardware(const Problem& problem, WhatIfParameter parameter, double factor)
{
    Problem::Data data = problem.data();
    Hardware& hw = data.hardware;
    switch (parameter) {
    case WhatIfParameter::Capacity:
        hw.fastMemoryCapacity = scaled(hw.fastMemoryCapacity, factor);
        break;
    case WhatIfParameter::Bandwidth:
        hw.slowMemoryBandwidth = scaled(hw.slowMemoryBandwidth, factor);
        break;
    case WhatIfParameter::NativeSize:
        hw.nativeWidth = scaled(hw.nativeWidth, factor);
        hw.nativeHeight = scaled(hw.nativeHeight, factor);
        if (hw.nativeDepth)
            hw.nativeDepth = scaled(*hw.nativeDepth, factor);
        break;
    }
    return Problem::build(std::move(data));
}

std::vector<WhatIfPoint> whatIf(const Problem& problem, const Schedule& schedule,
                                const WhatIfOptions& options)
{
    std::vector<WhatIfPoint> points;
    for (const double factor : options.factors) {
        if (options.stop.stop_requested())
            break;
        const auto changed = withHardware(problem, options.parameter, factor);
        if (!changed)
            continue;
        const Problem& there = **changed;
        WhatIfPoint point;
        point.factor = factor;
        const Hardware& hw = there.hardware();
        point.value = options.parameter == WhatIfParameter::Capacity    ? hw.fastMemoryCapacity
                      : options.parameter == WhatIfParameter::Bandwidth ? hw.slowMemoryBandwidth
                                                                        : hw.nativeWidth;
        const Evaluation here = evaluate(there, schedule, options.rules);
        if (here.valid())
            point.current = here.total;
        if (options.secondsPerPoint > 0) {
            SolveOptions solving;
            solving.rules = options.rules;
            solving.seconds = options.secondsPerPoint;
            solving.stop = options.stop;
            if (here.valid())
                solving.start = schedule;
            else
                point.withoutLocks = std::ranges::any_of(
                    schedule.subgraphs, [](const SubgraphPtr& subgraph) { return subgraph->locked; });
            if (const auto solved = solve(there, solving))
                point.solved = solved->total;
        }
        points.push_back(point);
        if (options.onPoint)
            options.onPoint(point);
    }
    return points;
}

} // namespace tilewright
