// SPDX-License-Identifier: GPL-3.0-or-later
// Large neighbourhoods: a few subgraphs of the current plan, planned anew exactly.
#include "solve/proof/exact.h"
#include "solve/search/annealer.h"

#include <algorithm>

namespace tilewright {

/// Neighbouring entries (by a shared tensor or by a retained one) with at most maxOps ops together.
std::vector<std::uint32_t> Annealer::pickGroup(std::size_t maxOps)
{
    const Problem& problem = m_pool.problem();
    const std::vector<PlanEntry>& entries = m_current.entries;
    const auto n = static_cast<std::uint32_t>(entries.size());
    std::vector<std::uint32_t> group;
    std::size_t ops = 0;
    const auto add = [&](std::uint32_t e) {
        const OpSet& set = m_pool.set(entries[e].set);
        if (set.lock >= 0 || ops + set.ops.size() > maxOps || std::ranges::find(group, e) != group.end())
            return;
        group.push_back(e);
        ops += set.ops.size();
    };
    add(m_random.below(n));
    for (int tries = 0; tries < 16 && !group.empty() && ops < maxOps; ++tries) {
        const std::uint32_t from = group[m_random.below(static_cast<std::uint32_t>(group.size()))];
        const std::uint32_t dice = m_random.below(4);
        if (dice == 0 && from + 1 < n) {
            add(from + 1);
            continue;
        }
        if (dice == 1 && from > 0) {
            add(from - 1);
            continue;
        }
        const OpSet& set = m_pool.set(entries[from].set);
        const Op& op = problem.op(set.ops[m_random.below(static_cast<std::uint32_t>(set.ops.size()))]);
        const std::uint32_t which = m_random.below(static_cast<std::uint32_t>(op.inputs.size() + 1));
        const TensorId t = which < op.inputs.size() ? op.inputs[which] : op.output;
        const auto consumers = problem.consumers(t);
        const std::uint32_t other = m_random.below(static_cast<std::uint32_t>(consumers.size() + 1));
        auto neighbour = other < consumers.size() ? std::optional(consumers[other]) : problem.producer(t);
        if (!neighbour && problem.isView(t)) { // what writes a base of it
            const auto bases = problem.bases(t);
            neighbour = problem.producer(bases[m_random.below(static_cast<std::uint32_t>(bases.size()))]);
        }
        if (!neighbour)
            continue;
        const std::vector<std::uint32_t>& where = holders(*neighbour);
        if (!where.empty())
            add(where[m_random.below(static_cast<std::uint32_t>(where.size()))]);
    }
    std::ranges::sort(group);
    return group;
}

/// Moves what the group needs before it and the rest behind it; the group's first position, or nothing when
/// something outside both needs the group and is needed by it.
std::optional<std::size_t> Annealer::makeContiguous(Plan& plan, const std::vector<std::uint32_t>& group)
{
    const auto n = static_cast<std::uint32_t>(plan.entries.size());
    std::vector<char> inGroup(n);
    std::vector<char> before(n);
    for (const std::uint32_t e : group)
        inGroup[e] = 1;
    // Providers come earlier in a valid order, so one sweep from the back finds all that is needed.
    std::vector<std::int32_t> provider(m_pool.problem().tensorCount(), -1);
    std::vector<std::vector<std::uint32_t>> needs(n);
    for (std::uint32_t e = 0; e < n; ++e) {
        const std::vector<TensorId>& resident = m_pool.retain(e > 0 ? plan.entries[e - 1].retain : 0);
        for (const TensorId t : m_pool.set(plan.entries[e].set).inputs) {
            if (std::ranges::find(resident, t) != resident.end())
                needs[e].push_back(e - 1);
            else if (provider[t.index()] >= 0)
                needs[e].push_back(static_cast<std::uint32_t>(provider[t.index()]));
        }
        for (const TensorId t : m_pool.set(plan.entries[e].set).bases)
            if (provider[t.index()] >= 0)
                needs[e].push_back(static_cast<std::uint32_t>(provider[t.index()]));
        const std::vector<TensorId>& retained = m_pool.retain(plan.entries[e].retain);
        for (const TensorId t : m_pool.set(plan.entries[e].set).sinks)
            if (provider[t.index()] < 0 && std::ranges::find(retained, t) == retained.end())
                provider[t.index()] = static_cast<std::int32_t>(e);
    }
    for (std::uint32_t e = n; e-- > 0;) {
        if (inGroup[e] == 0 && before[e] == 0)
            continue;
        for (const std::uint32_t p : needs[e]) {
            if (inGroup[p] == 0)
                before[p] = 1;
            else if (inGroup[e] == 0)
                return std::nullopt;
        }
    }
    // What stands before the group anyway and does not need it stays there.
    for (std::uint32_t e = 0; e < group.front(); ++e)
        before[e] = 1;
    std::vector<PlanEntry> ordered;
    for (std::uint32_t e = 0; e < n; ++e)
        if (before[e] != 0)
            ordered.push_back(plan.entries[e]);
    const std::size_t at = ordered.size();
    for (const std::uint32_t e : group)
        ordered.push_back(plan.entries[e]);
    for (std::uint32_t e = 0; e < n; ++e)
        if (before[e] == 0 && inGroup[e] == 0)
            ordered.push_back(plan.entries[e]);
    plan.entries = std::move(ordered);
    return at;
}

bool Annealer::replanWindow(std::size_t maxOps)
{
    index();
    const Problem& problem = m_pool.problem();
    const std::vector<std::uint32_t> group = pickGroup(maxOps);
    if (group.size() < 2)
        return false;
    ++m_windows.tried;
    Plan plan = m_current;
    const std::optional<std::size_t> at = makeContiguous(plan, group);
    if (!at)
        return false;
    std::vector<SetId> sets;
    sets.reserve(group.size());
    for (const std::uint32_t e : group)
        sets.push_back(m_current.entries[e].set);
    if (!m_settler.settle(plan) || plan.entries.size() != m_current.entries.size())
        return false;
    const std::size_t end = *at + group.size();
    ExactWindow window;
    double spent = 0;
    for (std::size_t i = *at; i < end; ++i) {
        if (plan.entries[i].set != sets[i - *at])
            return false;
        spent += plan.entries[i].latency;
        for (const OpId o : m_pool.set(plan.entries[i].set).ops)
            if (std::ranges::find(window.ops, o) == window.ops.end())
                window.ops.push_back(o);
    }
    window.slowBefore.assign(problem.tensorCount(), 0);
    for (std::size_t i = 0; i < *at; ++i) {
        const std::vector<TensorId>& retained = m_pool.retain(plan.entries[i].retain);
        for (const TensorId t : m_pool.set(plan.entries[i].set).sinks)
            if (std::ranges::find(retained, t) == retained.end())
                window.slowBefore[t.index()] = 1;
    }
    window.residentBefore = *at > 0 ? plan.entries[*at - 1].retain : 0;
    window.residentAfter = plan.entries[end - 1].retain;
    // Sometimes an op that provides an input may be recomputed, too.
    if (window.ops.size() < maxOps && m_random.below(3) == 0) {
        const OpSet& set = m_pool.set(sets[m_random.below(static_cast<std::uint32_t>(sets.size()))]);
        if (!set.inputs.empty()) {
            const TensorId t = set.inputs[m_random.below(static_cast<std::uint32_t>(set.inputs.size()))];
            const OpId o = *problem.producer(t);
            if (std::ranges::find(window.ops, o) == window.ops.end())
                window.ops.push_back(o);
        }
    }
    std::ranges::sort(window.ops, {}, [&](OpId o) { return m_pool.rank(o); });
    std::vector<char> neededLater(problem.tensorCount());
    for (std::size_t i = end; i < plan.entries.size(); ++i) {
        const std::vector<TensorId>& resident = m_pool.retain(plan.entries[i - 1].retain);
        for (const TensorId t : m_pool.set(plan.entries[i].set).inputs)
            if (std::ranges::find(resident, t) == resident.end())
                neededLater[t.index()] = 1;
        for (const TensorId t : m_pool.set(plan.entries[i].set).bases)
            neededLater[t.index()] = 1;
    }
    for (std::size_t i = *at; i < end; ++i) {
        const std::vector<TensorId>& retained = m_pool.retain(plan.entries[i].retain);
        for (const TensorId t : m_pool.set(plan.entries[i].set).sinks)
            if (std::ranges::find(retained, t) == retained.end() && window.slowBefore[t.index()] == 0 &&
                (neededLater[t.index()] != 0 || problem.isGraphOutput(t)))
                window.required.push_back(t);
    }
    ExactLimits limits;
    limits.upperBound = spent - std::max(0.0, plan.total - m_current.total);
    limits.maxNodes = 3000;
    limits.maxRetained = 3;
    limits.keepGoing = m_keepGoing;
    if (!(limits.upperBound > 0))
        return false;
    ++m_windows.settled;
    const ExactResult exact = solveExactly(m_pool, m_pool.rules(), window, TilingEffort::Quick, limits);
    if (!exact.entries)
        return false;
    plan.entries.erase(plan.entries.begin() + static_cast<std::ptrdiff_t>(*at),
                       plan.entries.begin() + static_cast<std::ptrdiff_t>(end));
    plan.entries.insert(plan.entries.begin() + static_cast<std::ptrdiff_t>(*at), exact.entries->begin(),
                        exact.entries->end());
    if (!m_settler.settle(plan) || !(plan.total < m_current.total * (1 - 1e-12)))
        return false;
    ++m_windows.accepted;
    refine(plan);
    setCurrent(plan);
    if (m_current.total > m_best.total)
        return false;
    ++m_windows.improved;
    return true;
}

} // namespace tilewright
