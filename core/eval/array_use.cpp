// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/array_use.h"

#include "eval/fast_engine.h"
#include "rules/check.h"

#include <algorithm>

namespace tilewright {

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
        out.rows = problem.hardware().nativeHeight;
        out.cols = problem.hardware().nativeWidth;
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
        const double pes = static_cast<double>(out.rows) * static_cast<double>(out.cols);
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
