// SPDX-License-Identifier: GPL-3.0-or-later
#include "explain/alternatives.h"

#include "base/text.h"
#include "eval/evaluation.h"
#include "solve/plan/plan.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::size_t kPerKind = 3; ///< maximum number of alternatives of each kind
/// Maximum number of ops that are tried as a subgraph of their own, taken from both ends of the subgraph.
constexpr std::size_t kMostApart = 8;
/// Maximum number of neighbours tried for fusion; they are the nearest ones in the schedule.
constexpr int kMostFused = 8;

class Alternatives
{
public:
    Alternatives(const Problem& problem, const Schedule& schedule, const Rules& rules,
                 const Progress& progress)
        : m_problem(problem), m_schedule(schedule), m_rules(rules), m_progress(progress),
          m_total(evaluate(problem, schedule, rules).total), m_pool(problem, rules, m_memo, {}),
          m_repair(m_pool)
    {
    }

    std::vector<SolveAlternative> of(std::size_t i)
    {
        m_found.clear();
        granularities(i);
        traversals(i);
        retained(i);
        apart(i);
        fused(i);
        std::ranges::stable_sort(m_found, {}, &SolveAlternative::total);
        std::vector<SolveAlternative> kept;
        for (SolveAlternative& a : m_found)
            if (std::ranges::count(kept, a.kind, &SolveAlternative::kind) <
                static_cast<std::ptrdiff_t>(kPerKind))
                kept.push_back(std::move(a));
        return kept;
    }

private:
    void add(SolveAlternative::Kind kind, std::string text, Schedule schedule)
    {
        const Evaluation evaluation = evaluate(m_problem, schedule, m_rules);
        if (evaluation.valid())
            m_found.push_back(
                {kind, std::move(text), evaluation.total, evaluation.total - m_total, std::move(schedule)});
    }
    [[nodiscard]] Schedule with(std::size_t i, Subgraph changed) const
    {
        Schedule out = m_schedule;
        changed.reportedLatency.reset();
        out.subgraphs[i] = std::make_shared<const Subgraph>(std::move(changed));
        return out;
    }
    void granularities(std::size_t i)
    {
        const Subgraph& s = *m_schedule.subgraphs[i];
        const Granularity g = s.granularity;
        const Hardware& hw = m_problem.hardware();
        for (const std::int64_t w : {g.w, g.w / 2, g.w * 2, hw.nativeWidth})
            for (const std::int64_t h : {g.h, g.h / 2, g.h * 2, hw.nativeHeight})
                for (const std::int64_t k : {g.k, g.k / 2, g.k * 2}) {
                    Subgraph changed = s;
                    changed.granularity = {w, h, k};
                    if (w < 1 || h < 1 || k < 1 || changed.granularity == g)
                        continue;
                    if (changed.traversal.kind() == TraversalKind::Custom)
                        changed.traversal = {};
                    const std::string text = "granularity " + formatGrouped(w) + " × " + formatGrouped(h) +
                                             " × " + formatGrouped(k);
                    if (std::ranges::find(m_found, text, &SolveAlternative::text) == m_found.end())
                        add(SolveAlternative::Kind::Granularity, text, with(i, std::move(changed)));
                }
    }
    void traversals(std::size_t i)
    {
        const Subgraph& s = *m_schedule.subgraphs[i];
        for (const TraversalKind kind : {TraversalKind::Raster, TraversalKind::Snake, TraversalKind::Column,
                                         TraversalKind::ColumnSnake}) {
            if (s.traversal.kind() == kind)
                continue;
            Subgraph changed = s;
            changed.traversal = Traversal(kind);
            add(SolveAlternative::Kind::Traversal, "traversal " + std::string(traversalName(kind)),
                with(i, std::move(changed)));
        }
    }
    void retained(std::size_t i)
    {
        const Subgraph& s = *m_schedule.subgraphs[i];
        for (const TensorId t : s.retain) {
            Subgraph changed = s;
            std::erase(changed.retain, t);
            add(SolveAlternative::Kind::NotRetained, "without retaining " + m_problem.tensorName(t),
                with(i, std::move(changed)));
        }
    }
    /// Adds the schedule in which subgraphs with the op sets `parts` and their best tilings replace the
    /// subgraphs `gone`.
    void replan(SolveAlternative::Kind kind, std::string text, const std::vector<std::size_t>& gone,
                const std::vector<std::vector<OpId>>& parts)
    {
        if (m_progress.stopRequested())
            return;
        Plan plan;
        for (std::size_t j = 0; j < m_schedule.size(); ++j) {
            const Subgraph& s = *m_schedule.subgraphs[j];
            if (j == gone.back())
                for (const std::vector<OpId>& part : parts)
                    plan.entries.push_back({{m_pool.intern(part)}});
            if (isIn(j, gone)) {
                if (j == gone.back() && !plan.entries.empty())
                    plan.entries.back().retain = m_pool.internRetain(s.retain);
                continue;
            }
            const SetId set = m_pool.intern(s.ops);
            m_pool.addHint(set, s.granularity);
            plan.entries.push_back({{set, 0, m_pool.internRetain(s.retain)}});
        }
        if (m_repair.makeValid(plan))
            add(kind, std::move(text), toSchedule(m_pool, plan, [] { return false; }));
    }
    void apart(std::size_t i)
    {
        const Subgraph& s = *m_schedule.subgraphs[i];
        if (s.ops.size() < 2)
            return;
        std::vector<std::vector<OpId>> singles;
        for (const OpId o : s.ops)
            singles.push_back({o});
        replan(SolveAlternative::Kind::Apart, "all ops apart", {i}, singles);
        for (std::size_t k = 0; k < s.ops.size(); ++k) {
            if (k >= kMostApart / 2 && k + kMostApart / 2 < s.ops.size())
                continue;
            const OpId o = s.ops[k];
            replan(SolveAlternative::Kind::Apart, m_problem.opName(o) + " apart", {i},
                   {{o}, without(s.ops, {o})});
        }
    }
    void fused(std::size_t i)
    {
        const Subgraph& s = *m_schedule.subgraphs[i];
        const Boundary mine = boundaryOf(m_problem, s.ops);
        std::vector<std::size_t> order;
        for (std::size_t j = 0; j < m_schedule.size(); ++j)
            if (j != i && !m_schedule.subgraphs[j]->locked)
                order.push_back(j);
        std::ranges::stable_sort(order, {}, [&](std::size_t j) { return j > i ? j - i : i - j; });
        int tried = 0;
        for (const std::size_t j : order) {
            if (tried == kMostFused)
                return;
            const Boundary other = boundaryOf(m_problem, m_schedule.subgraphs[j]->ops);
            const auto reads = [](const Boundary& a, const std::vector<TensorId>& ts) {
                return std::ranges::any_of(ts, [&](TensorId t) { return isIn(t, a.inputs); });
            };
            if (!reads(other, mine.sinks) && !reads(mine, other.sinks) && !reads(mine, other.inputs))
                continue;
            const std::vector<OpId> all = united(s.ops, m_schedule.subgraphs[j]->ops);
            ++tried;
            replan(SolveAlternative::Kind::Fused, "fused with subgraph " + std::to_string(j),
                   {std::min(i, j), std::max(i, j)}, {all});
        }
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    Rules m_rules;
    const Progress& m_progress;
    double m_total;
    TilingMemo m_memo;
    SubgraphPool m_pool;
    PlanRepair m_repair;
    std::vector<SolveAlternative> m_found;
};

} // namespace

std::vector<std::vector<SolveAlternative>> solveAlternatives(const Problem& problem, const Schedule& schedule,
                                                             const Rules& rules, const Progress& progress,
                                                             const AlternativesFound& found)
{
    std::vector<std::vector<SolveAlternative>> out(schedule.size());
    if (!evaluate(problem, schedule, rules).valid())
        return out;
    Alternatives alternatives(problem, schedule, rules, progress);
    for (std::size_t i = 0; i < schedule.size() && !progress.stopRequested(); ++i) {
        if (!schedule.subgraphs[i]->locked)
            out[i] = alternatives.of(i);
        if (found && !progress.stopRequested())
            found(SubgraphId(i), out[i]);
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(schedule.size()));
    }
    return out;
}

} // namespace tilewright
