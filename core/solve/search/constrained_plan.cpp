// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/constrained_plan.h"

#include "solve/proof/connected_sets.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>

namespace tilewright {

namespace {

/// Disjoint groups of ops (union-find); ops are never removed from a group.
class OpGroups
{
public:
    explicit OpGroups(std::size_t ops) : m_parent(ops)
    {
        std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
    }
    [[nodiscard]] std::size_t of(OpId o) { return root(o.index()); }
    /// Merges the groups of both ops. Returns true if they were in different groups.
    bool unite(OpId a, OpId b)
    {
        const std::size_t first = of(a);
        const std::size_t second = of(b);
        m_parent[std::max(first, second)] = std::min(first, second);
        return first != second;
    }

private:
    [[nodiscard]] std::size_t root(std::size_t i)
    {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    std::vector<std::size_t> m_parent;
};

/// Returns the ops of each group by group number, in topological order; empty for numbers that are not in
/// use.
std::vector<std::vector<OpId>> membersOf(const Problem& problem, OpGroups& groups)
{
    std::vector<std::vector<OpId>> out(problem.opCount());
    for (const OpId o : problem.topologicalOrder())
        out[groups.of(o)].push_back(o);
    return out;
}

/// Returns the ops on a shortest path, along common tensors of usable ops, from the part of the group that
/// contains its first op to another part of the group. Empty if there is no such path.
std::vector<OpId> wayBetweenParts(const Problem& problem, const std::vector<std::vector<OpId>>& parts,
                                  const std::vector<char>& usable)
{
    std::vector<std::optional<OpId>> from(problem.opCount());
    std::vector<OpId> reached = parts.front();
    for (const OpId o : reached)
        from[o.index()] = o;
    const auto isOther = [&](OpId o) {
        return std::any_of(parts.begin() + 1, parts.end(),
                           [&](const std::vector<OpId>& part) { return isIn(o, part); });
    };
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const OpId here = reached[i];
        if (isOther(here)) {
            std::vector<OpId> way;
            for (OpId o = here; *from[o.index()] != o; o = *from[o.index()])
                way.push_back(o);
            return way;
        }
        forEachTouching(problem, here, [&](OpId next) {
            if (from[next.index()] || usable[next.index()] == 0)
                return;
            from[next.index()] = here;
            reached.push_back(next);
        });
    }
    return {};
}

/// Grows the groups until each is connected and contains every op on a path between two of its ops. A
/// subgraph without one of these ops would depend on its own results.
void closeGroups(SubgraphPool& pool, OpGroups& groups, const std::vector<char>& usable)
{
    const Problem& problem = pool.problem();
    const Reachability reachability(problem);
    std::vector<std::vector<OpId>> parts;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::vector<OpId>& group : membersOf(problem, groups)) {
            if (group.size() < 2)
                continue;
            const auto feeds = [&](OpId o, bool down) {
                return std::ranges::any_of(group, [&](OpId member) {
                    return down ? reachability.reaches(member, o) : reachability.reaches(o, member);
                });
            };
            for (const OpId o : problem.topologicalOrder())
                if (usable[o.index()] != 0 && !isIn(o, group) && feeds(o, true) && feeds(o, false))
                    changed |= groups.unite(group.front(), o);
            pool.components(group, parts);
            if (parts.size() > 1)
                for (const OpId o : wayBetweenParts(problem, parts, usable))
                    changed |= groups.unite(group.front(), o);
            if (changed)
                break; // other groups may have changed as well, so their members are listed again
        }
    }
}

class PlanMaker
{
public:
    PlanMaker(SubgraphPool& pool, const Plan& singles)
        : m_pool(pool), m_problem(pool.problem()), m_usable(m_problem.opCount(), 0)
    {
        for (const CostedSet& e : singles.entries)
            if (const OpSet& set = pool.set(e.set); set.lock < 0 && set.ops.size() == 1)
                m_usable[set.ops.front().index()] = 1;
            else
                m_others.push_back(e);
    }

    /// Builds the plan. A tensor that must always be retained becomes interior to a subgraph if `fused` is
    /// true; otherwise the group of its readers runs directly after its producer.
    [[nodiscard]] Plan make(bool fused)
    {
        OpGroups groups(m_problem.opCount());
        const auto unite = [&](OpId a, OpId b) {
            return m_usable[a.index()] != 0 && m_usable[b.index()] != 0 && groups.unite(a, b);
        };
        for (const std::vector<OpId>& group : m_pool.constraints().together)
            for (const OpId o : group)
                unite(group.front(), o);
        for (const ScheduleConstraints::Retention& r : m_pool.constraints().retain)
            if (const std::span<const OpId> readers = m_problem.consumers(r.tensor);
                r.always && !readers.empty()) {
                for (const OpId o : readers)
                    unite(readers.front(), o);
                if (fused)
                    unite(*m_problem.producer(r.tensor), readers.front());
            }
        closeGroups(m_pool, groups, m_usable);
        while (!fused && makeOneFollower(groups))
            closeGroups(m_pool, groups, m_usable);
        return planOf(groups);
    }

private:
    /// Returns the group that has to run directly after the producer of the tensor, because it reads the
    /// tensor from fast memory. Nothing if there is no such group.
    [[nodiscard]] std::optional<std::size_t> followerOf(const ScheduleConstraints::Retention& r,
                                                        OpGroups& groups) const
    {
        if (!r.always || m_problem.consumers(r.tensor).empty())
            return std::nullopt;
        const std::size_t reader = groups.of(m_problem.consumers(r.tensor).front());
        return reader == groups.of(*m_problem.producer(r.tensor)) ? std::nullopt : std::optional(reader);
    }

    /// Only one group can run directly after another. If two groups have to run directly after the same one,
    /// merges them and returns true.
    [[nodiscard]] bool makeOneFollower(OpGroups& groups)
    {
        const auto& retain = m_pool.constraints().retain;
        for (std::size_t i = 0; i < retain.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const auto a = followerOf(retain[i], groups);
                const auto b = followerOf(retain[j], groups);
                const OpId producers[] = {*m_problem.producer(retain[i].tensor),
                                          *m_problem.producer(retain[j].tensor)};
                if (a && b && *a != *b && groups.of(producers[0]) == groups.of(producers[1]))
                    return groups.unite(OpId(*a), OpId(*b));
            }
        return false;
    }

    [[nodiscard]] Plan planOf(OpGroups& groups)
    {
        Plan out;
        out.entries = m_others;
        const std::vector<std::vector<OpId>> members = membersOf(m_problem, groups);
        std::vector<std::optional<std::size_t>> next(members.size());
        std::vector<std::vector<TensorId>> kept(members.size());
        std::vector<char> follows(members.size(), 0), done(members.size(), 0);
        for (const ScheduleConstraints::Retention& r : m_pool.constraints().retain)
            if (const auto reader = followerOf(r, groups)) {
                const std::size_t from = groups.of(*m_problem.producer(r.tensor));
                next[from] = reader;
                kept[from].push_back(r.tensor);
                follows[*reader] = 1;
            }
        // Append chains of groups that have to run directly after one another. A cyclic chain starts at any
        // of its groups.
        for (const bool inChain : {false, true})
            for (const OpId o : m_problem.topologicalOrder()) {
                std::optional<std::size_t> group = groups.of(o);
                if (m_usable[o.index()] == 0 || (!inChain && follows[*group] != 0))
                    continue;
                for (; group && done[*group] == 0 && m_usable[*group] != 0; group = next[*group]) {
                    done[*group] = 1;
                    out.entries.push_back(
                        {{m_pool.intern(members[*group]), 0, m_pool.internRetain(kept[*group])}});
                }
            }
        return out;
    }

    SubgraphPool& m_pool;
    const Problem& m_problem;
    /// By op: true if the op is alone in a subgraph of the start plan that is not locked
    std::vector<char> m_usable;
    std::vector<CostedSet> m_others; ///< all other subgraphs of the start plan, i.e. the locked ones
};

} // namespace

std::vector<Plan> plansForConstraints(SubgraphPool& pool, const Plan& singles)
{
    const ScheduleConstraints& constraints = pool.constraints();
    const bool hasRetained = std::ranges::any_of(constraints.retain, &ScheduleConstraints::Retention::always);
    std::vector<Plan> out;
    if (constraints.together.empty() && !hasRetained)
        return out;
    PlanMaker maker(pool, singles);
    out.push_back(maker.make(true));
    if (hasRetained)
        out.push_back(maker.make(false));
    return out;
}

} // namespace tilewright
