// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/fast.h"

#include "eval/fast_engine.h"
#include "eval/trace.h"
#include "rules/check.h"

#include <algorithm>

namespace tilewright {

namespace {

bool holds(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

/// Evaluates a subgraph by the fast engine. Returns nothing if there is no closed form.
std::optional<SubgraphEvaluation> evaluateInClosedForm(const SubgraphPlan& plan, const Granularity& g,
                                                       const Traversal& traversal,
                                                       std::span<const TensorId> resident,
                                                       std::span<const TensorId> retain,
                                                       bool ignoreCoincidences)
{
    const auto ask = [&](auto& engine) -> std::optional<SubgraphEvaluation> {
        if (!engine.bind(g))
            return std::nullopt;
        SubgraphEvaluation out;
        out.rows = engine.rows();
        out.cols = engine.cols();
        if (traversal.kind() == TraversalKind::Custom &&
            !orderFault(traversal.explicitOrder(), {out.rows, out.cols}).empty())
            return SubgraphEvaluation{};
        const Hardware& hw = plan.problem().hardware();
        engine.run(traversal).finish(out, hw, MemoryCosts(hw));
        out.reserved = engine.reserved();
        out.exact = !ignoreCoincidences;
        return out;
    };
    return withEngine(plan, resident, retain, ignoreCoincidences, ask);
}

SubgraphEvaluation evaluateByWalking(const SubgraphPlan& plan, const Granularity& g,
                                     const Traversal& traversal, std::span<const TensorId> resident,
                                     std::span<const TensorId> retain, std::int64_t mostWalkedSteps)
{
    if (const auto estimate = evaluateInClosedForm(plan, g, traversal, resident, retain, true);
        estimate && estimate->steps > mostWalkedSteps)
        return *estimate;
    if (mostWalkedSteps == 0)
        return {};
    Subgraph s;
    s.ops.assign(plan.ops().begin(), plan.ops().end());
    s.granularity = g;
    s.traversal = traversal;
    s.retain.assign(retain.begin(), retain.end());
    return evaluateSubgraphByTrace(plan.problem(), s, resident, plan.rules());
}

} // namespace

SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g, const Traversal& traversal,
                            std::span<const TensorId> resident, std::span<const TensorId> retain,
                            std::int64_t mostWalkedSteps)
{
    if (plan.check(g))
        return {};
    const bool keepsInputs = plan.rules().retainInputs == Rules::RetainInputs::Allow;
    for (const TensorId t : retain) // checks the retained tensors (R4.6)
        if (!holds(plan.products(), t) &&
            !(keepsInputs && holds(plan.inputs(), t) && !plan.problem().isView(t)))
            return {};
    if (const auto out = evaluateInClosedForm(plan, g, traversal, resident, retain, false))
        return *out;
    return evaluateByWalking(plan, g, traversal, resident, retain, mostWalkedSteps);
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
