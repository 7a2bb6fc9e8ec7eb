// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/schedule_roofline.h"

#include "base/integer.h"
#include "eval/cost.h"

#include <limits>

namespace tilewright {

namespace {

void finish(SubgraphPoint& p)
{
    p.intensity =
        p.traffic > 0 ? p.work / static_cast<double>(p.traffic) : std::numeric_limits<double>::infinity();
    p.throughput = p.latency > 0 ? p.work / p.latency : 0;
    p.paddingCeiling = p.compute > 0 ? p.work / p.compute : 1;
}

} // namespace

double opWork(const Problem& problem, OpId op, const Rules& rules)
{
    const Hardware& hw = problem.hardware();
    const Tensor& t = problem.tensor(problem.op(op).output);
    const bool matMul = problem.op(op).type == OpType::MatMul;
    double work = static_cast<double>(problem.op(op).baseCost) * static_cast<double>(t.height) /
                  static_cast<double>(hw.nativeHeight) * static_cast<double>(t.width) /
                  static_cast<double>(hw.nativeWidth);
    const auto depth = static_cast<double>(problem.reductionSize(op));
    if (matMul && rules.compute == Rules::Compute::Array) // every PE is busy in every cycle
        work *= depth / StepCosts(hw, {}, rules).wholeTile(problem.reductionSize(op));
    else if (matMul && rules.kScaling == Rules::KScaling::Native)
        work *= depth / static_cast<double>(hw.nativeK());
    return work;
}

ScheduleRoofline scheduleRoofline(const Problem& problem, const Schedule& schedule,
                                  const Evaluation& evaluation)
{
    ScheduleRoofline out;
    out.bandwidth = static_cast<double>(problem.hardware().slowMemoryBandwidth);
    out.ridge = out.computeRoof / out.bandwidth;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const SubgraphEvaluation& e = evaluation.subgraphs[i];
        if (!e.structurallyValid)
            continue;
        SubgraphPoint p;
        p.subgraph = SubgraphId(i);
        for (const OpId o : schedule.subgraphs[i]->ops)
            p.work += opWork(problem, o, evaluation.rules);
        p.latency = e.latency;
        p.compute = e.compute;
        p.traffic = saturatingAdd(e.loadElements, e.storeElements);
        p.bound = e.bound;
        finish(p);
        out.whole.work += p.work;
        out.whole.latency += p.latency;
        out.whole.compute += p.compute;
        out.whole.traffic = saturatingAdd(out.whole.traffic, p.traffic);
        if (p.latency > 0)
            out.points.push_back(p);
    }
    finish(out.whole);
    const double memory = static_cast<double>(out.whole.traffic) / out.bandwidth;
    out.whole.bound = out.whole.compute > memory   ? Bound::Compute
                      : out.whole.compute < memory ? Bound::Memory
                                                   : Bound::Balanced;
    return out;
}

} // namespace tilewright
