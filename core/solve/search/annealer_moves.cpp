// SPDX-License-Identifier: GPL-3.0-or-later
// The moves of an Annealer: each changes m_next, the copy of the current plan, and says whether it did.
#include "solve/cost/op_lists.h"
#include "solve/search/annealer.h"

namespace tilewright {

void Annealer::replace(std::uint32_t entry, std::vector<OpId> ops)
{
    CostedSet& e = m_next.entries[entry];
    e.set = m_pool.intern(std::move(ops));
    e.uncost();
}

void Annealer::setRetain(std::uint32_t entry, RetainId retain)
{
    m_next.entries[entry].retain = retain;
    m_next.entries[entry].uncost();
}

void Annealer::erase(std::uint32_t entry)
{
    m_next.entries.erase(m_next.entries.begin() + entry);
}

/// The part of the set that stays connected with `o` when the set is cut at tensor `t`.
std::vector<OpId> Annealer::partWithout(SetId set, OpId o, TensorId t) const
{
    const Problem& problem = m_pool.problem();
    const auto touches = [&](OpId a, TensorId x) {
        return problem.op(a).output == x || isIn(x, problem.op(a).inputs);
    };
    const auto adjacent = [&](OpId a, OpId b) {
        const Op& op = problem.op(a);
        const auto joins = [&](TensorId x) { return x != t && touches(b, x); };
        return joins(op.output) || std::ranges::any_of(op.inputs, joins);
    };
    std::vector<OpId> out{o};
    std::vector<OpId> others = without(m_pool.set(set).ops, out);
    for (std::size_t i = 0; i < out.size(); ++i)
        std::erase_if(others, [&](OpId p) {
            if (!adjacent(out[i], p))
                return false;
            out.push_back(p);
            return true;
        });
    return out;
}

/// Puts `second`, with the entries that tensors retained in a row tie to it, right behind `first`, which
/// retains `retain` then.
void Annealer::follow(std::uint32_t first, std::uint32_t second, RetainId retain)
{
    std::vector<CostedSet>& entries = m_next.entries;
    if (second != first + 1) {
        std::uint32_t end = second + 1;
        while (end < entries.size() && entries[end - 1].retain != 0)
            ++end;
        if (second > 0)
            entries[second - 1].retain = 0;
        entries[second > 0 ? second - 1 : 0].uncost();
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
    setRetain(first, retain);
}

/// A move of ops between entries `a` and `b`, of which `a` runs `oa` and both touch the tensor `via`: `b`
/// follows `a` with retained tensors, recomputes ops of `a`, is fused with it, or gets some of its ops.
bool Annealer::proposeAcross(std::uint32_t a, std::uint32_t b, OpId oa, TensorId via)
{
    const Problem& problem = m_pool.problem();
    std::vector<CostedSet>& entries = m_next.entries;
    const SetId setA = entries[a].set;
    const SetId setB = entries[b].set;
    const bool feeds = problem.op(oa).output == via;
    const std::uint32_t dice = m_random.below(100);
    if (feeds && dice < 18) {
        std::vector<TensorId> retain;
        for (const TensorId t : handedOver(m_pool.set(setA), m_pool.set(setB)))
            if (t == via || m_random.below(2) == 0)
                retain.push_back(t);
        follow(a, b, m_pool.internRetain(std::move(retain)));
        return true;
    }
    if (isLocked(setB))
        return false;
    if (feeds && dice < 36) { // b recomputes the op, or all that it needs
        const std::vector<OpId> copied =
            dice < 28 ? std::vector{oa} : cone(problem, m_pool.set(setA).ops, oa, false);
        replace(b, united(m_pool.set(setB).ops, copied));
        return true;
    }
    if (isLocked(setA))
        return false;
    if (dice < 68) {
        const std::vector<OpId> all = united(m_pool.set(setB).ops, m_pool.set(setA).ops);
        // The later place keeps most dependencies in order; PlanSettler mends the others.
        replace(std::max(a, b), all);
        if (a < b && a > 0)
            entries[a - 1].uncost();
        erase(std::min(a, b));
        return true;
    }
    const std::vector<OpId> moved = dice < 86   ? std::vector{oa}
                                    : dice < 93 ? cone(problem, m_pool.set(setA).ops, oa, feeds)
                                                : partWithout(setA, oa, via);
    std::vector<OpId> rest = without(m_pool.set(setA).ops, moved);
    replace(b, united(m_pool.set(setB).ops, moved));
    if (rest.empty())
        erase(a);
    else
        replace(a, std::move(rest));
    return true;
}

/// Splits entry `a`: the op alone, with all it feeds or needs, or with what `via` does not tie to it.
bool Annealer::proposeInside(std::uint32_t a, OpId o, TensorId via)
{
    const SetId set = m_next.entries[a].set;
    const std::vector<OpId>& ops = m_pool.set(set).ops;
    if (isLocked(set) || ops.size() < 2)
        return false;
    const std::uint32_t dice = m_random.below(4);
    const bool isCone = dice == 1 || dice == 2;
    std::vector<OpId> part = dice == 0 ? std::vector{o}
                             : isCone  ? cone(m_pool.problem(), ops, o, dice == 1)
                                       : partWithout(set, o, via);
    std::vector<OpId> rest = without(ops, part);
    if (rest.empty())
        return false;
    if (!(isCone ? isIn(ops.front(), part) : m_random.below(2) == 0))
        std::swap(part, rest);
    replace(a, std::move(part));
    const RetainId retain = std::exchange(m_next.entries[a].retain, 0);
    m_next.entries.insert(m_next.entries.begin() + a + 1,
                          CostedSet{{m_pool.intern(std::move(rest)), 0, retain}});
    return true;
}

/// Retains one tensor more, or one less, between two subgraphs in a row.
bool Annealer::proposeRetain()
{
    const std::vector<CostedSet>& entries = m_next.entries;
    if (entries.size() < 2)
        return false;
    const std::uint32_t i = m_random.below(entries.size() - 1);
    const std::vector<TensorId> candidates =
        handedOver(m_pool.set(entries[i].set), m_pool.set(entries[i + 1].set));
    if (candidates.empty())
        return false;
    const TensorId t = m_random.pick(candidates);
    std::vector<TensorId> retain = m_pool.retain(entries[i].retain);
    if (std::erase(retain, t) == 0)
        retain.push_back(t);
    setRetain(i, m_pool.internRetain(std::move(retain)));
    return true;
}

/// Retains what the changed entries can hand over to, or get from, their neighbours.
void Annealer::retainAround()
{
    const std::vector<CostedSet>& entries = m_next.entries;
    for (std::uint32_t i = 0; i + 1 < entries.size(); ++i) {
        if (entries[i].isCosted() && entries[i + 1].isCosted())
            continue;
        std::vector<TensorId> retain;
        for (const TensorId t : handedOver(m_pool.set(entries[i].set), m_pool.set(entries[i + 1].set)))
            if (m_random.below(4) != 0)
                retain.push_back(t);
        setRetain(i, m_pool.internRetain(std::move(retain)));
    }
}

/// Ruin and recreate: dissolves a few neighbouring subgraphs into single ops and fuses those greedily, with
/// some luck, anew.
bool Annealer::proposeRuin()
{
    const Problem& problem = m_pool.problem();
    std::vector<CostedSet>& entries = m_next.entries;
    std::vector<std::uint32_t> chosen{m_random.below(entries.size())};
    const std::size_t wanted = 2 + m_random.below(3);
    for (int tries = 0; tries < 12 && chosen.size() < wanted; ++tries) {
        const OpSet& set = m_pool.set(entries[m_random.pick(chosen)].set);
        const TensorId t = randomTensorOf(problem.op(m_random.pick(set.ops)), m_random);
        const auto consumers = problem.consumers(t);
        if (consumers.empty())
            continue;
        const std::uint32_t other = m_random.below(consumers.size() + 1);
        const std::uint32_t e = m_random.pick(holders(
            other < consumers.size() ? consumers[other] : problem.producer(t).value_or(consumers[0])));
        if (!isIn(e, chosen))
            chosen.push_back(e);
    }
    std::erase_if(chosen, [&](std::uint32_t e) { return isLocked(entries[e].set); });
    std::vector<OpId> ops;
    for (const std::uint32_t e : chosen)
        ops = united(ops, m_pool.set(entries[e].set).ops);
    if (ops.size() < 2 || ops.size() > 24)
        return false;
    std::ranges::sort(chosen, std::greater());
    for (const std::uint32_t e : chosen) {
        if (e > 0)
            entries[e - 1].uncost();
        erase(e);
    }
    // Fuses the pair with the largest gain, each gain taken with some luck.
    std::vector<std::vector<OpId>> groups;
    for (const OpId o : ops)
        groups.push_back({o});
    const auto cost = [&](const std::vector<OpId>& g) { return m_pool.latency({m_pool.intern(g)}); };
    const double luck = 0.3 * m_random.unit();
    while (groups.size() > 1) {
        double bestGain = 0;
        std::size_t bi = 0;
        std::size_t bj = 0;
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (std::size_t j = i + 1; j < groups.size(); ++j) {
                std::vector<OpId> both = groups[i];
                both.insert(both.end(), groups[j].begin(), groups[j].end());
                const SetId id = m_pool.intern(std::move(both));
                if (!m_pool.set(id).connected)
                    continue;
                const double apart = cost(groups[i]) + cost(groups[j]);
                const double gain = (apart - m_pool.latency({id})) * (1 - luck + 2 * luck * m_random.unit());
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
    std::vector<CostedSet> fresh;
    for (std::vector<OpId>& g : groups)
        fresh.push_back({{m_pool.intern(std::move(g))}});
    entries.insert(entries.begin() + chosen.back(), fresh.begin(), fresh.end());
    return true;
}

/// Moves one subgraph to another place in the order.
bool Annealer::proposeRelocate()
{
    const std::uint32_t from = m_random.below(m_next.entries.size());
    const std::uint32_t to = m_random.below(m_next.entries.size());
    if (from == to)
        return false;
    setRetain(from, 0);
    if (from > 0)
        setRetain(from - 1, 0);
    const CostedSet e = m_next.entries[from];
    erase(from);
    m_next.entries.insert(m_next.entries.begin() + to, e);
    return true;
}

bool Annealer::propose()
{
    const Problem& problem = m_pool.problem();
    const std::uint32_t dice = m_random.below(100);
    if (dice < 8)
        return proposeRetain();
    if (dice < 9)
        return proposeRuin();
    if (dice < 11 && m_next.entries.size() > 2)
        return proposeRelocate();
    const OpId oa(m_random.below(problem.opCount()));
    const TensorId via = randomTensorOf(problem.op(oa), m_random);
    const auto consumers = problem.consumers(via);
    const std::optional<OpId> producer = problem.producer(via);
    const std::size_t choices = consumers.size() + (producer ? 1 : 0);
    if (choices < 2)
        return false;
    const std::uint32_t chosen = m_random.below(choices);
    const OpId ob = chosen < consumers.size() ? consumers[chosen] : *producer;
    if (ob == oa || holders(oa).empty() || holders(ob).empty())
        return false;
    const std::uint32_t a = m_random.pick(holders(oa));
    const std::uint32_t b = m_random.pick(holders(ob));
    return a == b ? proposeInside(a, oa, via) : proposeAcross(a, b, oa, via);
}

} // namespace tilewright
