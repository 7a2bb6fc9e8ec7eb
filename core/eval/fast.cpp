// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/fast.h"

#include "eval/fast_engine.h"
#include "eval/schedule_walk.h"
#include "eval/trace.h"
#include "rules/check.h"

#include <algorithm>
#include <bit>

namespace tilewright {

namespace {

bool holds(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

bool hasBit(std::uint64_t bits, std::uint32_t i)
{
    return (bits >> i) & 1;
}

/// One evaluation by the fast engine; nothing when the tiling is not regular.
struct FastCall
{
    const SubgraphPlan& plan;
    const Granularity& g;
    const Traversal& traversal;
    const Surroundings* around; // or the two lists
    std::span<const TensorId> resident, retain;
    std::int64_t reserved = 0;
    bool peakOnly = false;
    bool ignoreMeetings = false;

    [[nodiscard]] std::optional<SubgraphEvaluation> operator()() const
    {
        const auto prepare = [&](auto& engine) {
            return around ? engine.prepare(
                                plan, [&](std::uint32_t i) { return hasBit(around->residentInputs, i); },
                                [&](std::uint32_t i) { return hasBit(around->retainedInputs, i); },
                                [&](std::uint32_t i) { return hasBit(around->retained, i); }, reserved)
                          : engine.prepare(
                                plan, [&](std::uint32_t i) { return holds(resident, plan.inputs()[i]); },
                                [&](std::uint32_t i) { return holds(retain, plan.inputs()[i]); },
                                [&](std::uint32_t i) { return holds(retain, plan.products()[i]); }, reserved);
        };
        return withEngine(plan, ignoreMeetings, prepare, [&](auto& engine) { return ask(engine); });
    }

private:
    template <class Limits>
    [[nodiscard]] std::optional<SubgraphEvaluation> ask(FastEngine<Limits>& engine) const
    {
        SubgraphEvaluation out;
        out.reserved = reserved;
        if (!engine.bindBuffers(g))
            return std::nullopt;
        if (peakOnly && engine.firstTileIsLargest()) {
            out.peakWorkingSet = engine.firstTilePeak();
            return out;
        }
        if (!engine.bindRuns())
            return std::nullopt;
        out.rows = engine.rows();
        out.cols = engine.cols();
        if (traversal.kind() == TraversalKind::Custom &&
            !orderFault(traversal.explicitOrder(), {out.rows, out.cols}).empty())
            return SubgraphEvaluation{};
        const Hardware& hw = plan.problem().hardware();
        engine.run(traversal).finish(out, hw, MemoryCosts(hw));
        out.exact = !ignoreMeetings;
        return out;
    }
};

SubgraphEvaluation evaluateByWalking(const SubgraphPlan& plan, const Granularity& g,
                                     const Traversal& traversal, std::span<const TensorId> resident,
                                     std::span<const TensorId> retain, std::int64_t reserved,
                                     std::int64_t mostWalkedSteps)
{
    FastCall call{plan, g, traversal, nullptr, resident, retain, reserved, false, true};
    if (auto bound = call(); bound && bound->steps > mostWalkedSteps)
        return *bound;
    if (mostWalkedSteps == 0)
        return {};
    Subgraph s;
    s.ops.assign(plan.ops().begin(), plan.ops().end());
    s.granularity = g;
    s.traversal = traversal;
    s.retain.assign(retain.begin(), retain.end());
    return evaluateSubgraphByTrace(plan.problem(), s, resident, plan.rules());
}

std::int64_t reservedAround(const SubgraphPlan& plan, const Surroundings& around)
{
    std::int64_t sum = around.otherReserved;
    const auto add = [&](std::uint64_t bits, std::span<const TensorId> list) {
        for (; bits != 0; bits &= bits - 1)
            sum += plan.problem().tensor(list[static_cast<std::size_t>(std::countr_zero(bits))]).elements();
    };
    add(around.residentInputs | around.retainedInputs, plan.inputs());
    add(around.retained, plan.products());
    return sum;
}

} // namespace

SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g, const Traversal& traversal,
                            const Surroundings& around)
{
    if (plan.check(g))
        return {};
    const std::int64_t sum = reservedAround(plan, around);
    if (const auto out = FastCall{plan, g, traversal, &around, {}, {}, sum, false}())
        return *out;
    std::vector<TensorId> resident;
    std::vector<TensorId> retain;
    const auto append = [](std::vector<TensorId>& out, std::span<const TensorId> list, std::uint64_t bits) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if ((bits >> i) & 1)
                out.push_back(list[i]);
    };
    append(resident, plan.inputs(), around.residentInputs);
    append(retain, plan.inputs(), around.retainedInputs);
    append(retain, plan.products(), around.retained);
    SubgraphEvaluation out =
        evaluateByWalking(plan, g, traversal, resident, retain, sum - around.otherReserved, kMostWalkedSteps);
    out.peakWorkingSet += around.otherReserved;
    out.reserved = sum;
    out.fits = out.peakWorkingSet <= plan.problem().hardware().fastMemoryCapacity;
    return out;
}

SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g, const Traversal& traversal,
                            std::span<const TensorId> resident, std::span<const TensorId> retain,
                            std::int64_t mostWalkedSteps)
{
    if (plan.check(g))
        return {};
    const bool keepsInputs = plan.rules().retainInputs == Rules::RetainInputs::Allow;
    for (const TensorId t : retain) // R4.6
        if (!holds(plan.products(), t) &&
            !(keepsInputs && holds(plan.inputs(), t) && !plan.problem().isView(t)))
            return {};
    const std::int64_t sum = reservedElements(plan.problem(), resident, retain);
    if (const auto out = FastCall{plan, g, traversal, nullptr, resident, retain, sum, false}())
        return *out;
    return evaluateByWalking(plan, g, traversal, resident, retain, sum, mostWalkedSteps);
}

std::int64_t peakWorkingSet(const SubgraphPlan& plan, const Granularity& g, const Traversal& traversal,
                            const Surroundings& around)
{
    if (const auto out = FastCall{plan, g, traversal, &around, {}, {}, reservedAround(plan, around), true}())
        return out->peakWorkingSet;
    return evaluate(plan, g, traversal, around).peakWorkingSet;
}

SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                    std::span<const TensorId> residentBefore, const Rules& rules)
{
    if (!checkFormat(problem, subgraph, {}).empty())
        return {};
    return evaluate(SubgraphPlan(problem, subgraph.ops, rules), subgraph.granularity, subgraph.traversal,
                    residentBefore, subgraph.retain);
}

} // namespace tilewright
