// SPDX-License-Identifier: GPL-3.0-or-later
#include "explain/critical_resources.h"

#include "eval/evaluation.h"
#include "eval/trace.h"
#include "rules/check.h"
#include "solve/cost/subgraph_pool.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

Result<ProblemPtr> withHardware(const Problem& problem, HardwareParameter parameter, double factor)
{
    Problem::Data data = problem.data();
    std::int64_t& value = parameter == HardwareParameter::Capacity ? data.hardware.fastMemoryCapacity
                                                                   : data.hardware.slowMemoryBandwidth;
    value = std::max<std::int64_t>(1, std::llround(static_cast<double>(value) * factor));
    return Problem::build(std::move(data));
}

namespace {

constexpr double kMore = 1.1;
constexpr double kUnlimited = 1e6; // factor of the capacity for which every subgraph fits
constexpr std::int64_t kMostSteps = 2'000'000;

/// Splits memory-bound time between loading and storing.
void addMemoryTime(CriticalResources& out, double time, double load, double store)
{
    const double traffic = load + store;
    const double share = traffic > 0 ? load / traffic : 0;
    out.load += time * share;
    out.store += time * (1 - share);
}

void addSubgraph(CriticalResources& out, const Problem& problem, const Subgraph& subgraph,
                 const SubgraphEvaluation& evaluation, std::span<const TensorId> resident, const Rules& rules,
                 const Progress& progress)
{
    if (evaluation.steps > kMostSteps) {
        out.exact = false;
        if (evaluation.bound == Bound::Memory)
            addMemoryTime(out, evaluation.latency, evaluation.loadElements, evaluation.storeElements);
        else
            out.compute += evaluation.latency;
        const auto with = [&](double compute, double memory) {
            return std::max(0.0, evaluation.latency - std::max(compute, memory));
        };
        out.fasterCompute += with(evaluation.compute / kMore, evaluation.memory);
        out.moreBandwidth += with(evaluation.compute, evaluation.memory / kMore);
        return;
    }
    traceSubgraph(problem, subgraph, resident, rules, [&](const Step& step) {
        if (step.compute >= step.memory)
            out.compute += step.compute;
        else
            addMemoryTime(out, step.memory, static_cast<double>(step.loadElements),
                          static_cast<double>(step.storeElements));
        out.fasterCompute += step.latency - std::max(step.compute / kMore, step.memory);
        out.moreBandwidth += step.latency - std::max(step.compute, step.memory / kMore);
        return !progress.stopRequested();
    });
}

/// Latency of the same subgraphs on the hardware of this problem, each with the best tiling found. Locked
/// subgraphs keep their tilings.
double retiled(const Problem& problem, const Schedule& schedule, const Rules& rules, const Progress& progress)
{
    const Evaluation asIs = evaluate(problem, schedule, rules);
    TilingMemo memo;
    SubgraphPool pool(problem, rules, memo, {});
    double total = 0;
    for (std::size_t i = 0; i < schedule.size() && !progress.stopRequested(); ++i) {
        const Subgraph& s = *schedule.subgraphs[i];
        double latency = asIs.subgraphs[i].latency;
        if (!s.locked) {
            const PlannedSet planned = pool.intern(
                PortableSet{s.ops, residentBefore(problem, schedule, rules, SubgraphId(i)), s.retain});
            latency = std::min(latency, pool.bestTiling(planned, TilingEffort::Thorough).latency);
        }
        total += latency;
    }
    return total;
}

} // namespace

std::optional<CriticalResources> criticalResources(const Problem& problem, const Schedule& schedule,
                                                   const Rules& rules, const Progress& progress)
{
    const Evaluation evaluation = evaluate(problem, schedule, rules);
    if (!evaluation.valid())
        return std::nullopt;
    CriticalResources out;
    out.total = evaluation.total;
    for (std::size_t i = 0; i < schedule.size() && !progress.stopRequested(); ++i)
        addSubgraph(out, problem, *schedule.subgraphs[i], evaluation.subgraphs[i],
                    residentBefore(problem, schedule, rules, SubgraphId(i)), rules, progress);
    const double here = retiled(problem, schedule, rules, progress);
    const auto gain = [&](double factor) {
        const auto larger = withHardware(problem, HardwareParameter::Capacity, factor);
        return larger ? std::max(0.0, here - retiled(**larger, schedule, rules, progress)) : 0;
    };
    out.moreCapacity = gain(kMore);
    const double most = 4e18 / static_cast<double>(problem.hardware().fastMemoryCapacity);
    out.unlimitedCapacity = std::max(gain(std::min(kUnlimited, most)), out.moreCapacity);
    if (progress.stopRequested())
        return std::nullopt;
    return out;
}

} // namespace tilewright
