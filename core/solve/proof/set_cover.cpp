// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/set_cover.h"

#include "base/wall_clock.h"
#include "eval/components.h"
#include "eval/lower_bound.h"
#include "solve/cost/cost_model.h"
#include "solve/cost/op_classes.h"
#include "solve/cost/structure.h"
#include "solve/proof/group_cover.h"
#include "solve/proof/prove_threads.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>

namespace tilewright {

namespace {

/// Equal ones are of groups that are equal as seen from outside, too.
Digest structureOfGroup(const Problem& problem, const std::vector<OpId>& ops)
{
    std::unordered_map<std::uint32_t, std::uint64_t> place; // by op
    for (const OpId o : ops)
        place.emplace(o.value, place.size());
    return structureOf(problem, ops, [&](Digest& d, TensorId t) {
        d.add((problem.producer(t) ? 1U : 0U) | (problem.isView(t) ? 2U : 0U) |
              (problem.isGraphOutput(t) ? 4U : 0U) | (problem.viewsOf(t).empty() ? 0U : 8U));
        for (const OpId c : problem.consumers(t)) {
            const auto at = place.find(c.value);
            d.add(at == place.end() ? place.size() : at->second);
        }
    });
}

/// The bound of a group for an equal one.
SetCoverBound translated(const Problem& problem, SetCoverBound bound, const std::vector<OpId>& from,
                         const std::vector<OpId>& to)
{
    std::vector<double> prices(problem.opCount(), 0);
    std::unordered_map<std::uint32_t, OpId> other;
    for (std::size_t i = 0; i < from.size(); ++i) {
        other.emplace(from[i].value, to[i]);
        if (!bound.prices.empty())
            prices[to[i].index()] = bound.prices[from[i].index()];
    }
    bound.prices = std::move(prices);
    for (PricedGroup& group : bound.groups)
        for (OpId& o : group.ops)
            o = other.at(o.value);
    bound.sets = 0; // looked at once
    return bound;
}

/// What the quick bound says of these parts.
SetCoverBound quickBound(const Problem& problem, const std::vector<BoundPart>& parts,
                         const std::vector<std::size_t>& which)
{
    SetCoverBound out;
    out.prices.assign(problem.opCount(), 0);
    for (const std::size_t i : which) {
        const BoundPart& part = parts[i];
        out.value += part.value;
        for (const OpId o : part.ops)
            out.prices[o.index()] = part.value / static_cast<double>(part.ops.size());
        out.groups.push_back({part.ops, part.value, 1});
    }
    return out;
}

/// Components between which something may be handed over in fast memory, as long as there are not too many
/// ops in a group: bounds of groups add up all the same, and say a little less.
std::vector<std::vector<std::size_t>>
groupsOf(const Problem& problem, const std::vector<std::vector<OpId>>& components, std::size_t together)
{
    const std::int64_t capacity = problem.hardware().fastMemoryCapacity;
    std::vector<std::size_t> group(components.size()); // by component
    std::vector<std::size_t> size;
    std::vector<std::vector<std::size_t>> out;
    std::vector<std::size_t> componentOf(problem.opCount());
    for (std::size_t i = 0; i < components.size(); ++i) {
        for (const OpId o : components[i])
            componentOf[o.index()] = i;
        group[i] = i;
        size.push_back(components[i].size());
        out.push_back({i});
    }
    for (const OpId o : problem.topologicalOrder()) {
        const TensorId t = problem.op(o).output;
        for (const OpId c : problem.consumers(t)) {
            const std::size_t a = group[componentOf[o.index()]];
            const std::size_t b = group[componentOf[c.index()]];
            if (a == b || problem.tensor(t).elements() > capacity || size[a] + size[b] > together)
                continue;
            for (const std::size_t i : out[b]) {
                group[i] = a;
                out[a].push_back(i);
            }
            out[b].clear();
            size[a] += size[b];
        }
    }
    std::erase_if(out, [](const std::vector<std::size_t>& g) { return g.empty(); });
    return out;
}

/// Groups of components one by one.
class SetCover
{
public:
    SetCover(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
        : m_problem(problem), m_rules(rules), m_limits(limits), m_end(wallClock() + limits.seconds),
          m_rank(problem.opCount()), m_classes(opClasses(problem)),
          m_models(threadsFor(limits.threads), CostModel(problem, rules)),
          m_components(componentsOf(problem, rules)), m_quick(lowerBoundByComponents(problem, rules).parts),
          m_opsLeft(problem.opCount())
    {
        for (std::size_t i = 0; i < m_rank.size(); ++i)
            m_rank[problem.topologicalOrder()[i].index()] = i;
        m_out.prices.assign(problem.opCount(), 0);
        m_out.best = true;
    }

    SetCoverBound run()
    {
        auto groups = groupsOf(m_problem, m_components, m_limits.together);
        // The smallest first: what they leave of their time is for the others.
        std::ranges::stable_sort(groups, {}, [&](const auto& g) { return opsOf(g); });
        for (const auto& group : groups)
            add(group);
        if (!m_says)
            return {};
        m_out.value *= 1 - 1e-12; // of the sums
        std::ranges::stable_sort(m_out.groups, std::greater<>(),
                                 [](const PricedGroup& g) { return g.least * g.share; });
        return std::move(m_out);
    }

private:
    struct Done
    {
        std::vector<OpId> ops;
        SetCoverBound bound;
    };
    [[nodiscard]] std::size_t opsOf(const std::vector<std::size_t>& group) const
    {
        std::size_t ops = 0;
        for (const std::size_t i : group)
            ops += m_components[i].size();
        return ops;
    }
    void add(const std::vector<std::size_t>& group)
    {
        std::vector<std::vector<OpId>> components;
        std::vector<OpId> ops;
        for (const std::size_t i : group) {
            components.push_back(m_components[i]);
            ops.insert(ops.end(), m_components[i].begin(), m_components[i].end());
        }
        const auto [it, isNew] = m_done.try_emplace(structureOfGroup(m_problem, ops));
        if (isNew) {
            const double share = static_cast<double>(ops.size()) / static_cast<double>(m_opsLeft);
            const double until = wallClock() + share * (m_end - wallClock());
            const std::function<double()> left = [&] {
                return m_limits.keepGoing && !m_limits.keepGoing() ? 0 : std::max(0.0, until - wallClock());
            };
            it->second.ops = ops;
            it->second.bound =
                GroupCover(m_problem, m_rules, components, m_rank,
                           ops.size() > m_limits.alike ? m_classes : std::vector<std::uint32_t>(), m_models,
                           left)
                    .run(m_limits.sets);
            m_out.sets += it->second.bound.sets;
        }
        SetCoverBound bound = translated(m_problem, it->second.bound, it->second.ops, ops);
        if (bound.value <= 0 && group.size() > 1) { // one of them is too large
            for (const std::size_t i : group)
                add({i});
            return;
        }
        m_opsLeft -= ops.size();
        m_says |= bound.value > 0;
        m_out.best &= bound.best;
        if (const SetCoverBound quick = quickBound(m_problem, m_quick, group); bound.value < quick.value)
            bound = quick;
        m_out.value += bound.value;
        for (const OpId o : ops)
            m_out.prices[o.index()] = bound.prices[o.index()];
        std::ranges::move(bound.groups, std::back_inserter(m_out.groups));
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const SetCoverLimits& m_limits;
    double m_end;
    std::vector<std::size_t> m_rank;      ///< in topological order, by op
    std::vector<std::uint32_t> m_classes; ///< of ops that look alike
    std::vector<CostModel> m_models;      ///< by thread
    std::vector<std::vector<OpId>> m_components;
    std::vector<BoundPart> m_quick; ///< by component
    std::size_t m_opsLeft;
    std::unordered_map<Digest, Done, DigestHash> m_done;
    SetCoverBound m_out;
    bool m_says = false; ///< prices of some group
};

} // namespace

/// No subgraph reaches across components, so bounds of groups of them add up.
SetCoverBound setCoverBound(const Problem& problem, const Rules& rules, const SetCoverLimits& limits)
{
    if (problem.opCount() == 0 || !CostModel::supports(rules))
        return {};
    return SetCover(problem, rules, limits).run();
}

} // namespace tilewright
