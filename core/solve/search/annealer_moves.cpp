// SPDX-License-Identifier: GPL-3.0-or-later
// The changes an Annealer tries.
#include "solve/cost/op_lists.h"
#include "solve/search/annealer.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

void Annealer::replace(std::uint32_t entry, std::vector<OpId> ops)
{
    PlanEntry& e = m_next.entries[entry];
    e.set = m_pool.intern(std::move(ops));
    e.latency = kUnknown;
}

void Annealer::erase(std::uint32_t entry)
{
    m_next.entries.erase(m_next.entries.begin() + entry);
}

std::vector<OpId> Annealer::partWithout(SetId set, OpId o, TensorId t) const
{
    const Problem& problem = m_pool.problem();
    const std::vector<OpId>& ops = m_pool.set(set).ops;
    const auto touches = [&](OpId a, TensorId x) {
        const Op& op = problem.op(a);
        return op.output == x || std::ranges::find(op.inputs, x) != op.inputs.end();
    };
    const auto adjacent = [&](OpId a, OpId b) {
        const Op& op = problem.op(a);
        if (op.output != t && touches(b, op.output))
            return true;
        return std::ranges::any_of(op.inputs, [&](TensorId x) { return x != t && touches(b, x); });
    };
    std::vector<OpId> out{o};
    std::vector<OpId> others = without(ops, out);
    for (std::size_t i = 0; i < out.size(); ++i)
        std::erase_if(others, [&](OpId p) {
            if (!adjacent(out[i], p))
                return false;
            out.push_back(p);
            return true;
        });
    return out;
}

/// Puts `second` (with what is tied to it) right behind `first` and retains `retain` between them.
void Annealer::follow(std::uint32_t first, std::uint32_t second, std::vector<TensorId> retain)
{
    std::vector<PlanEntry>& entries = m_next.entries;
    if (second != first + 1) {
        std::uint32_t end = second + 1;
        while (end < entries.size() && entries[end - 1].retain != 0)
            ++end;
        if (second > 0)
            entries[second - 1].retain = 0;
        entries[second > 0 ? second - 1 : 0].latency = kUnknown;
        const auto begin = entries.begin();
        if (second > first) {
            std::rotate(begin + first + 1, begin + second, begin + end);
        } else {
            if (end > first)
                return;
            std::rotate(begin + second, begin + end, begin + first + 1);
            first -= end - second;
        }
    }
    entries[first].retain = m_pool.internRetain(std::move(retain));
    entries[first].latency = kUnknown;
}

bool Annealer::proposeAcross(std::uint32_t a, std::uint32_t b, OpId oa, OpId ob, TensorId via, int& move)
{
    const Problem& problem = m_pool.problem();
    std::vector<PlanEntry>& entries = m_next.entries;
    const SetId setA = entries[a].set;
    const SetId setB = entries[b].set;
    const bool feeds = problem.op(oa).output == via;
    const std::uint32_t dice = m_random.below(100);
    if (feeds && dice < 18) {
        move = Follow;
        std::vector<TensorId> retain;
        for (const TensorId t : m_pool.set(setA).produced)
            if (std::ranges::binary_search(m_pool.set(setB).inputs, t) &&
                (t == via || m_random.below(2) == 0))
                retain.push_back(t);
        follow(a, b, std::move(retain));
        return true;
    }
    if (m_pool.set(setB).lock >= 0)
        return false;
    if (feeds && dice < 28) {
        move = CopyOp;
        replace(b, united(m_pool.set(setB).ops, {oa}));
        return true;
    }
    if (feeds && dice < 36) {
        move = CopyAll;
        replace(b, united(m_pool.set(setB).ops, cone(problem, m_pool.set(setA).ops, oa, false)));
        return true;
    }
    if (m_pool.set(setA).lock >= 0)
        return false;
    if (dice < 68) {
        move = Merge;
        const std::vector<OpId> all = united(m_pool.set(setB).ops, m_pool.set(setA).ops);
        // The later place keeps most dependencies in order; reorder() mends the others.
        if (a < b) {
            replace(b, all);
            if (a > 0)
                entries[a - 1].latency = kUnknown;
            erase(a);
        } else {
            const RetainId retain = entries[a].retain;
            replace(a, all);
            entries[a].retain = retain;
            erase(b);
        }
        return true;
    }
    std::vector<OpId> moved{oa};
    move = MoveOp;
    if (dice >= 86) {
        move = MoveCone;
        moved = dice < 93 ? cone(problem, m_pool.set(setA).ops, oa, feeds) : partWithout(setA, oa, via);
    }
    (void)ob;
    std::vector<OpId> rest = without(m_pool.set(setA).ops, moved);
    replace(b, united(m_pool.set(setB).ops, moved));
    if (rest.empty())
        erase(a);
    else
        replace(a, std::move(rest));
    return true;
}

bool Annealer::proposeInside(std::uint32_t a, OpId o, TensorId via, int& move)
{
    std::vector<PlanEntry>& entries = m_next.entries;
    const SetId set = entries[a].set;
    if (m_pool.set(set).lock >= 0 || m_pool.set(set).ops.size() < 2)
        return false;
    std::vector<OpId> part;
    switch (m_random.below(4)) {
    case 0:
        move = Extract;
        part = {o};
        break;
    case 1:
        move = SplitCone;
        part = cone(m_pool.problem(), m_pool.set(set).ops, o, true);
        break;
    case 2:
        move = SplitCone;
        part = cone(m_pool.problem(), m_pool.set(set).ops, o, false);
        break;
    default:
        move = SplitPart;
        part = partWithout(set, o, via);
        break;
    }
    std::vector<OpId> rest = without(m_pool.set(set).ops, part);
    if (rest.empty())
        return false;
    const RetainId retain = entries[a].retain;
    const bool partFirst = move == SplitCone
                               ? std::ranges::find(part, m_pool.set(set).ops.front()) != part.end()
                               : m_random.below(2) == 0;
    replace(a, partFirst ? part : rest);
    entries[a].retain = 0;
    PlanEntry second;
    second.set = m_pool.intern(partFirst ? std::move(rest) : std::move(part));
    second.retain = retain;
    entries.insert(entries.begin() + a + 1, second);
    return true;
}

bool Annealer::proposeRetain()
{
    std::vector<PlanEntry>& entries = m_next.entries;
    if (entries.size() < 2)
        return false;
    const std::uint32_t i = m_random.below(static_cast<std::uint32_t>(entries.size() - 1));
    std::vector<TensorId> candidates;
    for (const TensorId t : m_pool.set(entries[i].set).produced)
        if (std::ranges::binary_search(m_pool.set(entries[i + 1].set).inputs, t))
            candidates.push_back(t);
    if (candidates.empty())
        return false;
    const TensorId t = candidates[m_random.below(static_cast<std::uint32_t>(candidates.size()))];
    std::vector<TensorId> retain = m_pool.retain(entries[i].retain);
    if (const auto it = std::ranges::find(retain, t); it != retain.end())
        retain.erase(it);
    else
        retain.push_back(t);
    entries[i].retain = m_pool.internRetain(std::move(retain));
    entries[i].latency = kUnknown;
    return true;
}

void Annealer::retainAround()
{
    std::vector<PlanEntry>& entries = m_next.entries;
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        if (!std::isnan(entries[i].latency) && !std::isnan(entries[i + 1].latency))
            continue;
        std::vector<TensorId> retain;
        for (const TensorId t : m_pool.set(entries[i].set).produced)
            if (std::ranges::binary_search(m_pool.set(entries[i + 1].set).inputs, t) &&
                m_random.below(4) != 0)
                retain.push_back(t);
        entries[i].retain = m_pool.internRetain(std::move(retain));
        entries[i].latency = kUnknown;
    }
}

/// Dissolves a few neighbouring subgraphs into single ops and fuses those greedily, with luck, anew.
bool Annealer::proposeRuin()
{
    const Problem& problem = m_pool.problem();
    std::vector<PlanEntry>& entries = m_next.entries;
    std::vector<std::uint32_t> chosen{m_random.below(static_cast<std::uint32_t>(entries.size()))};
    const std::size_t wanted = 2 + m_random.below(3);
    std::vector<OpId> ops;
    for (int tries = 0; tries < 12 && chosen.size() < wanted; ++tries) {
        const OpSet& set =
            m_pool.set(entries[chosen[m_random.below(static_cast<std::uint32_t>(chosen.size()))]].set);
        const OpId o = set.ops[m_random.below(static_cast<std::uint32_t>(set.ops.size()))];
        const Op& op = problem.op(o);
        const std::uint32_t which = m_random.below(static_cast<std::uint32_t>(op.inputs.size() + 1));
        const TensorId t = which < op.inputs.size() ? op.inputs[which] : op.output;
        const auto consumers = problem.consumers(t);
        if (consumers.empty())
            continue;
        const std::uint32_t pickOne = m_random.below(static_cast<std::uint32_t>(consumers.size() + 1));
        OpId other =
            pickOne < consumers.size() ? consumers[pickOne] : problem.producer(t).value_or(consumers[0]);
        const std::vector<std::uint32_t>& where = holders(other);
        const std::uint32_t e = where[m_random.below(static_cast<std::uint32_t>(where.size()))];
        if (std::ranges::find(chosen, e) == chosen.end())
            chosen.push_back(e);
    }
    std::erase_if(chosen, [&](std::uint32_t e) { return locked(e); });
    for (const std::uint32_t e : chosen)
        for (const OpId o : m_pool.set(entries[e].set).ops)
            if (std::ranges::find(ops, o) == ops.end())
                ops.push_back(o);
    if (ops.size() < 2 || ops.size() > 24)
        return false;
    std::ranges::sort(chosen);
    const std::uint32_t at = chosen.front();
    for (auto it = chosen.rbegin(); it != chosen.rend(); ++it) {
        if (*it > 0)
            entries[*it - 1].latency = kUnknown;
        erase(*it);
    }
    // Agglomerate: fuse the pair with the largest gain, each gain taken with some luck.
    std::vector<std::vector<OpId>> groups;
    groups.reserve(ops.size());
    for (const OpId o : ops)
        groups.push_back({o});
    const auto cost = [&](const std::vector<OpId>& g) { return m_pool.latency(m_pool.intern(g), 0, 0); };
    const double luck = 0.3 * m_random.unit();
    while (groups.size() > 1) {
        double bestGain = 0;
        std::size_t bi = 0;
        std::size_t bj = 0;
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t j = i + 1; j < groups.size(); ++j) {
                std::vector<OpId> both = groups[i];
                both.insert(both.end(), groups[j].begin(), groups[j].end());
                const SetId id = m_pool.intern(both);
                if (!m_pool.set(id).connected)
                    continue;
                const double apart = cost(groups[i]) + cost(groups[j]);
                const double gain =
                    (apart - m_pool.latency(id, 0, 0)) * (1 - luck + 2 * luck * m_random.unit());
                if (gain > bestGain) {
                    bestGain = gain;
                    bi = i;
                    bj = j;
                }
            }
        if (bestGain <= 0)
            break;
        groups[bi].insert(groups[bi].end(), groups[bj].begin(), groups[bj].end());
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(bj));
    }
    std::vector<PlanEntry> fresh;
    fresh.reserve(groups.size());
    for (std::vector<OpId>& g : groups)
        fresh.push_back({m_pool.intern(std::move(g))});
    entries.insert(entries.begin() + at, fresh.begin(), fresh.end());
    return true;
}

bool Annealer::propose(int& move)
{
    const Problem& problem = m_pool.problem();
    const std::uint32_t dice = m_random.below(100);
    if (dice < 8) {
        move = Retain;
        return proposeRetain();
    }
    if (dice < 9) {
        move = Ruin;
        return proposeRuin();
    }
    if (dice < 11 && m_next.entries.size() > 2) {
        move = Relocate;
        const auto n = static_cast<std::uint32_t>(m_next.entries.size());
        const std::uint32_t from = m_random.below(n);
        const std::uint32_t to = m_random.below(n);
        if (from == to)
            return false;
        PlanEntry e = m_next.entries[from];
        e.retain = 0;
        e.latency = kUnknown;
        if (from > 0) {
            m_next.entries[from - 1].retain = 0;
            m_next.entries[from - 1].latency = kUnknown;
        }
        erase(from);
        m_next.entries.insert(m_next.entries.begin() + to, e);
        return true;
    }
    const OpId oa(m_random.below(static_cast<std::uint32_t>(problem.opCount())));
    const Op& op = problem.op(oa);
    const std::uint32_t which = m_random.below(static_cast<std::uint32_t>(op.inputs.size() + 1));
    const TensorId via = which < op.inputs.size() ? op.inputs[which] : op.output;
    const auto consumers = problem.consumers(via);
    const std::optional<OpId> producer = problem.producer(via);
    const std::uint32_t choices = static_cast<std::uint32_t>(consumers.size()) + (producer ? 1U : 0U);
    if (choices < 2)
        return false;
    const std::uint32_t chosen = m_random.below(choices);
    const OpId ob = chosen < consumers.size() ? consumers[chosen] : *producer;
    if (ob == oa)
        return false;
    const auto& inA = holders(oa);
    const auto& inB = holders(ob);
    if (inA.empty() || inB.empty())
        return false;
    const std::uint32_t a = inA[m_random.below(static_cast<std::uint32_t>(inA.size()))];
    const std::uint32_t b = inB[m_random.below(static_cast<std::uint32_t>(inB.size()))];
    return a == b ? proposeInside(a, oa, via, move) : proposeAcross(a, b, oa, ob, via, move);
}

} // namespace tilewright
