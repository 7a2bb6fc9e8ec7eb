// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/explain.h"

#include "base/integer.h"
#include "base/text.h"
#include "eval/cost.h"
#include "eval/fast_engine.h"
#include "eval/waste.h"
#include "rules/check.h"

#include <algorithm>
#include <limits>

namespace tilewright {

Explanation whatBinds(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                      SubgraphId subgraph)
{
    Explanation out;
    out.subgraph = subgraph;
    const SubgraphEvaluation& e = evaluation.subgraphs[subgraph.index()];
    const Subgraph& s = schedule[subgraph];
    if (!e.structurallyValid) {
        out.text = "It cannot run as it is";
        for (const Issue& issue : evaluation.issues)
            if (issue.subgraph == subgraph) {
                out.text += ": " + issue.text;
                break;
            }
        return out;
    }
    out.bound = e.bound;
    out.computeTime = e.compute;
    out.memoryTime = e.memory;
    if (const double work = workOf(problem, s, evaluation.rules); work > 0)
        out.paddingFactor = e.compute / work;
    const std::int64_t distinct =
        inputUnits(problem, s, residentBefore(problem, schedule, evaluation.rules, subgraph));
    if (distinct > 0)
        out.reloadFactor = e.loadElements / problem.elementsOf(distinct);

    std::string& text = out.text;
    if (!e.fits)
        text = "It needs " + formatGrouped(e.peakWorkingSet) + " elements of fast memory and there are " +
               formatGrouped(problem.hardware().fastMemoryCapacity) + ". ";
    switch (e.bound) {
    case Bound::Compute:
        text += "Compute limits it";
        break;
    case Bound::Memory:
        text += "Memory traffic limits it";
        break;
    case Bound::Balanced:
        text += "Compute and memory time are equal";
        break;
    }
    const double larger = std::max(e.compute, e.memory);
    const double smaller = std::min(e.compute, e.memory);
    if (e.bound == Bound::Compute && e.memory > 0)
        text += ": memory time is " + percent(smaller / larger) + " of compute time";
    else if (e.bound == Bound::Memory && e.compute > 0)
        text += ": compute time is " + percent(smaller / larger) + " of memory time";
    if (e.steps > 1 && e.computeBoundSteps > 0 && e.computeBoundSteps < e.steps)
        text += "; " + formatGrouped(e.computeBoundSteps) + " of " + formatGrouped(e.steps) +
                " steps are compute-bound";
    text += ".";
    if (e.latency > larger * 1.005)
        text += " Some steps are limited by compute and others by memory, so the latency is " +
                significantNumber(e.latency / larger) + " times the larger of both.";
    if (out.reloadFactor > 1.005)
        text += " Its inputs are loaded " + significantNumber(out.reloadFactor) + " times on average.";
    if (e.bound != Bound::Memory && out.paddingFactor > 1.005)
        text +=
            std::string(
                evaluation.rules.compute == Rules::Compute::Array
                    ? " Padding, repetition, and fill and drain of the array increase the compute time to "
                    : " Padding and repetition increase the compute time to ") +
            significantNumber(out.paddingFactor) + " times that of the work alone.";
    return out;
}

namespace {

void finish(SubgraphPoint& p)
{
    p.intensity =
        p.traffic > 0 ? p.work / static_cast<double>(p.traffic) : std::numeric_limits<double>::infinity();
    p.throughput = p.latency > 0 ? p.work / p.latency : 0;
    p.paddingCeiling = p.compute > 0 ? p.work / p.compute : 1;
}

} // namespace

namespace {

/// Returns the number of multiplications that a core can do in one cycle (R8.4).
std::int64_t multipliersOf(const Hardware& hw)
{
    const bool dots = hw.array.kind == ComputeArray::Kind::DotProduct;
    return (dots ? hw.array.inputs * hw.array.outputs : hw.nativeHeight * hw.nativeWidth) * hw.array.arrays;
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
        work *= depth / StepCosts(hw, {}, rules).wholeTile(problem.reductionSize(op)) *
                static_cast<double>(hw.nativeHeight * hw.nativeWidth) /
                static_cast<double>(multipliersOf(hw));
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
        p.traffic = e.loadElements + e.storeElements;
        p.bound = e.bound;
        finish(p);
        out.whole.work += p.work;
        out.whole.latency += p.latency;
        out.whole.compute += p.compute;
        out.whole.traffic += p.traffic;
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

namespace {

class UsesOfArray
{
public:
    UsesOfArray(const SubgraphPlan& plan, const Subgraph& subgraph, std::int64_t mostWalkedSteps)
        : m_plan(plan), m_subgraph(subgraph), m_mostWalkedSteps(mostWalkedSteps),
          m_costs(plan.problem().hardware(), subgraph.granularity, plan.rules())
    {
    }

    [[nodiscard]] ArrayUses list(std::size_t most)
    {
        const Problem& problem = m_plan.problem();
        ArrayUses out;
        const Hardware& hw = problem.hardware();
        const bool dots = hw.array.kind == ComputeArray::Kind::DotProduct;
        out.rows = dots ? hw.array.inputs : hw.nativeHeight;
        out.cols = dots ? hw.array.outputs : hw.nativeWidth;
        out.arrays = hw.array.arrays;
        for (std::uint32_t i = 0; i < m_plan.ops().size(); ++i) {
            if (problem.op(m_plan.ops()[i]).type != OpType::MatMul)
                continue;
            if (out.uses.size() == most)
                ++out.more;
            else
                out.uses.push_back(wholeRun(m_plan.ops()[i]));
        }
        if (!withBoundEngine(false, [&](auto& engine) { count(out.uses, engine, true); }))
            walk(out.uses);
        const auto pes = static_cast<double>(multipliersOf(hw));
        for (ArrayUse& use : out.uses) {
            const Tensor& t = problem.tensor(problem.op(use.op).output);
            use.utilisation = static_cast<double>(t.height) * static_cast<double>(t.width) *
                              static_cast<double>(problem.reductionSize(use.op)) / (pes * use.cycles);
        }
        return out;
    }

private:
    [[nodiscard]] ArrayUse wholeRun(OpId op) const
    {
        ArrayUse out;
        out.op = op;
        out.run = largestRun(m_plan, m_subgraph.granularity, op).value_or(RunTile{});
        out.runCycles = m_costs.cycles(out.run.rows, out.run.cols, out.run.depth);
        return out;
    }

    [[nodiscard]] std::uint32_t local(OpId op) const
    {
        return static_cast<std::uint32_t>(std::ranges::find(m_plan.ops(), op) - m_plan.ops().begin());
    }

    /// Calls use(engine) with an engine bound to the granularity. Resident and retained tensors are left out,
    /// since they do not influence runs. Returns false without a call of use() if there is no closed form.
    template <class Use> [[nodiscard]] bool withBoundEngine(bool ignoreCoincidences, Use&& use) const
    {
        return withEngine(m_plan, {}, {}, ignoreCoincidences, [&](auto& engine) {
            const bool isBound = engine.bind(m_subgraph.granularity);
            if (isBound)
                use(engine);
            return isBound;
        });
    }

    /// Sets ArrayUse::cycles by the closed form.
    template <class Engine> void count(std::vector<ArrayUse>& uses, Engine& engine, bool isExact) const
    {
        for (ArrayUse& use : uses) {
            use.cycles = engine.cyclesOf(local(use.op));
            use.exact = isExact;
        }
    }

    void walk(std::vector<ArrayUse>& uses) const
    {
        bool isCounted = false;
        (void)withBoundEngine(true, [&](auto& engine) {
            isCounted = engine.run(TraversalKind::Raster).steps > m_mostWalkedSteps;
            if (isCounted)
                count(uses, engine, false);
        });
        if (isCounted)
            return;
        Subgraph alone = m_subgraph;
        alone.traversal = TraversalKind::Raster;
        alone.retain.clear();
        traceSubgraph(m_plan.problem(), alone, {}, m_plan.rules(), [&](const Step& step) {
            for (const StepRun& run : step.runs)
                if (const auto use = std::ranges::find(uses, run.op, &ArrayUse::op);
                    use != uses.end() && !run.repeated)
                    use->cycles +=
                        m_costs.cycles(run.rect.r1 - run.rect.r0, run.rect.c1 - run.rect.c0, run.k1 - run.k0);
            return true;
        });
    }

    const SubgraphPlan& m_plan;
    const Subgraph& m_subgraph;
    std::int64_t m_mostWalkedSteps;
    StepCosts m_costs;
};

} // namespace

ArrayUses arrayUses(const Problem& problem, const Subgraph& subgraph, const Rules& rules, std::size_t most,
                    std::int64_t mostWalkedSteps)
{
    if (!checkFormat(problem, subgraph, {}).empty())
        return {};
    const SubgraphPlan plan(problem, subgraph.ops, rules);
    return plan.check(subgraph.granularity) ? ArrayUses{}
                                            : UsesOfArray(plan, subgraph, mostWalkedSteps).list(most);
}

} // namespace tilewright
