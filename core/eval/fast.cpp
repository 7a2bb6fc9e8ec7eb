// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/fast.h"

#include "eval/fast_engine.h"
#include "eval/schedule_walk.h"
#include "eval/trace.h"
#include "eval/validate.h"

#include <algorithm>

namespace tilewright {

namespace {

bool holds(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

bool isPermutation(std::span<const std::int64_t> order, std::int64_t tiles)
{
    if (static_cast<std::int64_t>(order.size()) != tiles)
        return false;
    std::vector<bool> seen(order.size(), false);
    for (const std::int64_t t : order) {
        if (t < 0 || t >= tiles || seen[static_cast<std::size_t>(t)])
            return false;
        seen[static_cast<std::size_t>(t)] = true;
    }
    return true;
}

bool hasBit(std::uint64_t bits, std::uint32_t i)
{
    return (bits >> i) & 1;
}

} // namespace

/// Binds an engine of one size and asks it; nothing when it is not regular.
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

    template <class Limits> [[nodiscard]] std::optional<SubgraphEvaluation> run() const
    {
        FastEngine<Limits> engine(plan, g, ignoreMeetings);
        const bool bound =
            around
                ? engine.bind([&](std::uint32_t i) { return hasBit(around->residentInputs, i); },
                              [&](std::uint32_t i) { return hasBit(around->retainedInputs, i); },
                              [&](std::uint32_t i) { return hasBit(around->retained, i); }, reserved)
                : engine.bind([&](std::uint32_t i) { return holds(resident, plan.inputs()[i]); },
                              [&](std::uint32_t i) { return holds(retain, plan.inputs()[i]); },
                              [&](std::uint32_t i) { return holds(retain, plan.products()[i]); }, reserved);
        if (!bound)
            return std::nullopt;
        SubgraphEvaluation out;
        out.rows = engine.rows();
        out.cols = engine.cols();
        out.reserved = reserved;
        const Hardware& hw = plan.problem().hardware();
        if (peakOnly)
            if (const auto peak = engine.quickPeak()) {
                out.peakWorkingSet = *peak;
                return out;
            }
        if (traversal.kind() == TraversalKind::Custom &&
            !isPermutation(traversal.explicitOrder(), out.rows * out.cols))
            return SubgraphEvaluation{};
        engine.run(traversal).finish(out, hw);
        out.exact = !ignoreMeetings;
        return out;
    }

    [[nodiscard]] std::optional<SubgraphEvaluation> operator()() const
    {
        if (plan.isSmall())
            if (auto out = run<SmallLimits>())
                return out;
        return run<LargeLimits>();
    }
};

SubgraphEvaluation SubgraphPlan::evaluateByWalking(const Granularity& g, const Traversal& traversal,
                                                   std::span<const TensorId> resident,
                                                   std::span<const TensorId> retain, std::int64_t reserved,
                                                   std::int64_t mostWalkedSteps) const
{
    FastCall call{*this, g, traversal, nullptr, resident, retain, reserved, false, true};
    if (auto bound = call(); bound && bound->steps > mostWalkedSteps)
        return *bound;
    if (mostWalkedSteps == 0)
        return {};
    Subgraph s;
    s.ops = m_ops;
    s.granularity = g;
    s.traversal = traversal;
    s.retain.assign(retain.begin(), retain.end());
    return evaluateSubgraphByTrace(*m_problem, s, resident, m_rules);
}

bool SubgraphPlan::isSmall() const noexcept
{
    return m_uses.size() <= SmallLimits::kUses && m_slots.size() <= SmallLimits::kSlots &&
           m_groups.size() <= SmallLimits::kGroups && m_sinks.size() <= SmallLimits::kSinks;
}

std::int64_t SubgraphPlan::reserved(const Surroundings& around) const
{
    std::int64_t sum = around.otherReserved;
    const auto add = [&](std::uint64_t bits, const std::vector<TensorId>& list) {
        for (; bits != 0; bits &= bits - 1)
            sum += m_problem->tensor(list[static_cast<std::size_t>(std::countr_zero(bits))]).elements();
    };
    add(around.residentInputs | around.retainedInputs, m_inputs);
    add(around.retained, m_products);
    return sum;
}

SubgraphEvaluation SubgraphPlan::evaluate(const Granularity& g, const Traversal& traversal,
                                          const Surroundings& around) const
{
    if (check(g))
        return {};
    const std::int64_t sum = reserved(around);
    if (const auto out = FastCall{*this, g, traversal, &around, {}, {}, sum, false}())
        return *out;
    std::vector<TensorId> resident;
    std::vector<TensorId> retain;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        if ((around.residentInputs >> i) & 1)
            resident.push_back(m_inputs[i]);
        if ((around.retainedInputs >> i) & 1)
            retain.push_back(m_inputs[i]);
    }
    for (std::size_t i = 0; i < m_products.size(); ++i)
        if ((around.retained >> i) & 1)
            retain.push_back(m_products[i]);
    SubgraphEvaluation out =
        evaluateByWalking(g, traversal, resident, retain, sum - around.otherReserved, kMostWalkedSteps);
    out.peakWorkingSet += around.otherReserved;
    out.reserved = sum;
    out.fits = out.peakWorkingSet <= m_problem->hardware().fastMemoryCapacity;
    return out;
}

SubgraphEvaluation SubgraphPlan::evaluate(const Granularity& g, const Traversal& traversal,
                                          std::span<const TensorId> resident,
                                          std::span<const TensorId> retain,
                                          std::int64_t mostWalkedSteps) const
{
    if (check(g))
        return {};
    for (const TensorId t : retain) // R4.6
        if (!holds(m_products, t) &&
            !(m_rules.retainInputs == Rules::RetainInputs::Allow && holds(m_inputs, t)))
            return {};
    const std::int64_t sum = reservedElements(*m_problem, resident, retain);
    if (const auto out = FastCall{*this, g, traversal, nullptr, resident, retain, sum, false}())
        return *out;
    return evaluateByWalking(g, traversal, resident, retain, sum, mostWalkedSteps);
}

std::int64_t SubgraphPlan::peakWorkingSet(const Granularity& g, const Traversal& traversal,
                                          const Surroundings& around) const
{
    if (const auto out = FastCall{*this, g, traversal, &around, {}, {}, reserved(around), true}())
        return out->peakWorkingSet;
    return evaluate(g, traversal, around).peakWorkingSet;
}

SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                    std::span<const TensorId> residentBefore, const Rules& rules)
{
    if (!checkFormat(problem, subgraph, {}).empty())
        return {};
    return SubgraphPlan(problem, subgraph.ops, rules)
        .evaluate(subgraph.granularity, subgraph.traversal, residentBefore, subgraph.retain);
}

} // namespace tilewright
