// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/fast_evaluator.h"

#include <QtGlobal>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tilewright::testing {

/// The rules with each switch that restricts subgraphs loosened, but for those in `kept` ("rule NAME").
inline Rules loosened(Rules rules, const std::vector<std::string>& kept)
{
    using Setting = std::pair<std::string, std::string>;
    for (const auto& [rule, value] :
         {Setting{"supernative", "ceil"}, Setting{"k_limit", "reduction"}, Setting{"k_above_K", "clamp"},
          Setting{"prologue", "off"}, Setting{"op_order", "ignore"}, Setting{"retain_inputs", "allow"}})
        if (std::ranges::count(kept, "rule " + rule) == 0 &&
            (rule != "retain_inputs" || !rules.keepsInputs()) && !setRule(rules, rule, value))
            qFatal("no rule %s", rule.c_str());
    return rules;
}

/// Whether a valid schedule with these locked subgraphs exists, by plain search over every schedule: (in slow
/// memory, resident, locks done), every op set, granularity, preset traversal and retained set, by core/eval.
class ScheduleExists
{
public:
    ScheduleExists(const Problem& problem, const Rules& rules, std::vector<Subgraph> locks)
        : m_problem(problem), m_rules(rules), m_locks(std::move(locks))
    {
    }

    bool find()
    {
        std::set<State> seen;
        std::vector<State> open{{maskOf(m_problem.graphInputs()), 0U, 0U}};
        while (!open.empty()) {
            const State state = open.back();
            open.pop_back();
            if (!seen.insert(state).second)
                continue;
            const auto [slow, resident, done] = state;
            if ((maskOf(m_problem.graphOutputs()) & ~slow) == 0 && done + 1 == 1U << m_locks.size())
                return true;
            for (std::size_t l = 0; l < m_locks.size(); ++l)
                if ((done >> l & 1U) == 0 && canRun(m_locks[l].ops, state) && lockFits(l, resident))
                    open.push_back(after(state, m_locks[l].ops, maskOf(m_locks[l].retain), 1U << l));
            for (unsigned ops = 1; ops < 1U << m_problem.opCount(); ++ops) {
                const std::vector<OpId> list = opsOf(ops);
                if (!canRun(list, state))
                    continue;
                const Boundary boundary = boundaryOf(m_problem, list);
                unsigned keepable = maskOf(boundary.sinks) | maskOf(boundary.interior);
                if (m_rules.keepsInputs())
                    keepable |= maskOf(boundary.inputs);
                if (m_rules.retainInputs == Rules::RetainInputs::Carry)
                    keepable |= resident;
                for (unsigned retain = keepable;; retain = (retain - 1) & keepable) {
                    if (fits(ops, resident, retain))
                        open.push_back(after(state, list, retain, 0));
                    if (retain == 0)
                        break;
                }
            }
        }
        return false;
    }

private:
    using State = std::tuple<unsigned, unsigned, unsigned>; ///< in slow memory, resident, locks done

    [[nodiscard]] bool canRun(const std::vector<OpId>& ops, const State& state) const
    {
        const unsigned there = std::get<0>(state) | std::get<1>(state);
        return std::ranges::all_of(boundaryOf(m_problem, ops).inputs,
                                   [&](TensorId t) { return (there >> t.index() & 1U) != 0; });
    }
    [[nodiscard]] State after(const State& state, const std::vector<OpId>& ops, unsigned retain,
                              unsigned lock) const
    {
        return {std::get<0>(state) | (maskOf(boundaryOf(m_problem, ops).sinks) & ~retain), retain,
                std::get<2>(state) | lock};
    }
    bool lockFits(std::size_t lock, unsigned resident)
    {
        const auto [at, isNew] = m_lockFits.try_emplace({lock, resident}, false);
        if (isNew)
            at->second = fitsInSomeOrder(m_locks[lock], tensors(resident));
        return at->second;
    }
    bool fitsInSomeOrder(const Subgraph& s, const std::vector<TensorId>& before)
    {
        const auto plan = m_plans.try_emplace(s.ops, m_problem, s.ops, m_rules).first;
        for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                         TraversalKind::ColumnSnake}) {
            const SubgraphEvaluation e = evaluate(plan->second, s.granularity, kind, before, s.retain);
            if (!e.structurallyValid)
                return false; // the locks and the subgraphs drawn here have no order of their own
            if (e.fits)
                return true;
        }
        return false;
    }
    bool fits(unsigned ops, unsigned resident, unsigned retain)
    {
        const auto [at, isNew] = m_fits.try_emplace({ops, resident, retain}, false);
        if (!isNew)
            return at->second;
        Subgraph s{opsOf(ops), {}, tensors(retain), {}, {}, false};
        std::int64_t most = 1;
        for (std::size_t t = 0; t < m_problem.tensorCount(); ++t)
            most =
                std::max({most, m_problem.tensor(TensorId(t)).width, m_problem.tensor(TensorId(t)).height});
        for (std::int64_t w = 1; w <= most; ++w)
            for (std::int64_t h = 1; h <= most; ++h)
                for (std::int64_t k = 1; k <= most; ++k) {
                    s.granularity = {w, h, k};
                    if (fitsInSomeOrder(s, tensors(resident)))
                        return at->second = true;
                }
        return false;
    }
    [[nodiscard]] std::vector<OpId> opsOf(unsigned mask) const
    {
        std::vector<OpId> out;
        for (const OpId o : m_problem.topologicalOrder())
            if ((mask >> o.index() & 1U) != 0)
                out.push_back(o);
        return out;
    }
    [[nodiscard]] static unsigned maskOf(const std::vector<TensorId>& tensors)
    {
        unsigned out = 0;
        for (const TensorId t : tensors)
            out |= 1U << t.index();
        return out;
    }
    [[nodiscard]] std::vector<TensorId> tensors(unsigned mask) const
    {
        std::vector<TensorId> out;
        for (std::size_t i = 0; i < m_problem.tensorCount(); ++i)
            if ((mask >> i & 1U) != 0)
                out.emplace_back(i);
        return out;
    }

    const Problem& m_problem;
    Rules m_rules;
    std::vector<Subgraph> m_locks;
    std::map<std::vector<OpId>, SubgraphPlan> m_plans;
    std::map<std::tuple<unsigned, unsigned, unsigned>, bool> m_fits;
    std::map<std::pair<std::size_t, unsigned>, bool> m_lockFits;
};

} // namespace tilewright::testing
