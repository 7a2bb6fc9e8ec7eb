// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/compare.h"

#include "eval/evaluator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tilewright {

Comparison compareSchedules(const ProblemPtr& problem, const Schedule& before, const Schedule& after,
                            const Rules& rules, const Progress& progress)
{
    Comparison out;
    Evaluator evaluator(problem, rules);
    out.before = evaluator.evaluate(before).total;
    out.after = out.before;
    walkDifferences(*problem, before, after, [&](const Difference& difference, const Schedule& applied) {
        out.stopped = out.stopped || progress.stopRequested();
        if (out.stopped)
            return;
        const double total = evaluator.evaluate(applied).total;
        // A difference that is only caused by the order of summation counts as 0.
        const double delta = total - out.after;
        const bool rounding = std::abs(delta) <= 1e-13 * out.after;
        out.contributions.push_back({difference, rounding ? 0 : delta, total});
        out.after = total;
    });
    if (out.stopped)
        out.after = evaluator.evaluate(after).total;
    return out;
}

std::vector<std::size_t> rankedByGain(const Comparison& comparison)
{
    std::vector<std::size_t> order(comparison.contributions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return comparison.contributions[i].delta; });
    return order;
}

namespace {

std::vector<OpId> ascendingOps(const Subgraph& s)
{
    std::vector<OpId> ops = s.ops;
    std::sort(ops.begin(), ops.end());
    return ops;
}

/// Groups of subgraphs of both schedules that share ops, directly or through other subgraphs (union-find).
class Groups
{
public:
    Groups(const Schedule& current, const Schedule& baseline, std::size_t ops)
        : m_parent(current.size() + baseline.size())
    {
        // A subgraph with the same ops as a baseline subgraph forms a group only with it, even if other
        // subgraphs recompute some of these ops.
        std::map<std::vector<OpId>, std::size_t> baselineByOps;
        for (std::size_t j = 0; j < baseline.size(); ++j)
            baselineByOps.emplace(ascendingOps(*baseline.subgraphs[j]), current.size() + j);
        std::vector<char> isMatched(m_parent.size(), 0);
        std::iota(m_parent.begin(), m_parent.end(), std::size_t(0));
        std::vector<std::optional<std::size_t>> firstWithOp(ops);
        const auto add = [&](const Schedule& schedule, std::size_t base) {
            for (std::size_t i = 0; i < schedule.size(); ++i)
                for (const OpId o : schedule.subgraphs[i]->ops) {
                    if (isMatched[base + i])
                        continue;
                    if (firstWithOp[o.index()])
                        m_parent[find(base + i)] = find(*firstWithOp[o.index()]);
                    else
                        firstWithOp[o.index()] = base + i;
                }
        };
        for (std::size_t i = 0; i < current.size(); ++i)
            if (const auto j = baselineByOps.find(ascendingOps(*current.subgraphs[i]));
                j != baselineByOps.end() && !isMatched[j->second]) {
                isMatched[i] = isMatched[j->second] = 1;
                m_parent[j->second] = i;
            }
        add(current, 0);
        add(baseline, current.size());
    }
    [[nodiscard]] std::size_t find(std::size_t i)
    {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }

private:
    std::vector<std::size_t> m_parent;
};

struct Group
{
    std::vector<std::size_t> members; ///< subgraphs of the current schedule in the group
    double now = 0;
    double before = 0;
    bool runs = true; ///< true if all its subgraphs can run, in both schedules
};

} // namespace

std::vector<BaselineShare> baselineShares(const Snapshot& now, const Snapshot& baseline)
{
    const std::size_t n = now.schedule.size();
    std::vector<BaselineShare> out(n);
    Groups find(now.schedule, baseline.schedule,
                std::max(now.problem->opCount(), baseline.problem->opCount()));
    std::vector<Group> groups(n + baseline.schedule.size());
    for (std::size_t i = 0; i < n; ++i) {
        const SubgraphEvaluation& e = now.evaluation.subgraphs[i];
        Group& group = groups[find.find(i)];
        group.members.push_back(i);
        group.now += e.latency;
        group.runs = group.runs && e.structurallyValid;
    }
    for (std::size_t j = 0; j < baseline.schedule.size(); ++j) {
        const SubgraphEvaluation& e = baseline.evaluation.subgraphs[j];
        Group& group = groups[find.find(n + j)];
        group.before += e.latency;
        group.runs = group.runs && e.structurallyValid;
        for (const std::size_t i : group.members) {
            out[i].subgraphs.emplace_back(j);
            if (group.members.size() == 1 && e.structurallyValid)
                out[i].latency = out[i].latency.value_or(0) + e.latency;
        }
    }
    for (const Group& group : groups)
        for (const std::size_t i : group.members)
            if (out[i].latency || (group.runs && group.now > 0 && !out[i].subgraphs.empty()))
                out[i].share = out[i].latency
                                   ? *out[i].latency
                                   : group.before * now.evaluation.subgraphs[i].latency / group.now;
    return out;
}

} // namespace tilewright
