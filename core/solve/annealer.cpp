// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/annealer.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace tilewright {

namespace {

enum Move {
    Merge,
    MoveOp,
    CopyOp,
    CopyAll,
    MoveCone,
    Follow,
    Extract,
    SplitCone,
    SplitPart,
    Retain,
    Ruin,
    Relocate,
    kMoves
};

/// Op sets that a pool may hold.
constexpr std::size_t kMaxSets = 30000;
/// Plans within this factor of the best are refined.
constexpr double kNear = 1.003;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

} // namespace

SearchRandom::SearchRandom(std::uint64_t seed)
{
    for (std::uint64_t& s : m_state) { // splitmix64
        seed += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        s = z ^ (z >> 31);
    }
}

std::uint64_t SearchRandom::next() noexcept
{
    const auto rotate = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t result = rotate(m_state[1] * 5, 7) * 9;
    const std::uint64_t t = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= t;
    m_state[3] = rotate(m_state[3], 45);
    return result;
}

Annealer::Annealer(SubgraphPool& pool, std::uint64_t seed)
    : m_pool(pool), m_settler(pool), m_random(seed), m_holders(pool.problem().opCount()), m_statistics(kMoves)
{
}

void Annealer::setCurrent(const Plan& plan)
{
    m_current = plan;
    if (m_current.total < m_best.total)
        m_best = m_current;
    m_indexed = false;
}

void Annealer::index()
{
    if (m_indexed)
        return;
    for (auto& list : m_holders)
        list.clear();
    for (std::uint32_t i = 0; i < m_current.entries.size(); ++i)
        for (const OpId o : m_pool.set(m_current.entries[i].set).ops)
            m_holders[o.index()].push_back(i);
    m_indexed = true;
}

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

std::vector<OpId> Annealer::without(SetId set, const std::vector<OpId>& removed) const
{
    std::vector<OpId> out;
    for (const OpId o : m_pool.set(set).ops)
        if (std::ranges::find(removed, o) == removed.end())
            out.push_back(o);
    return out;
}

std::vector<OpId> Annealer::united(SetId a, const std::vector<OpId>& added) const
{
    std::vector<OpId> out = m_pool.set(a).ops;
    for (const OpId o : added)
        if (std::ranges::find(m_pool.set(a).ops, o) == m_pool.set(a).ops.end())
            out.push_back(o);
    return out;
}

std::vector<OpId> Annealer::cone(SetId set, OpId o, bool down) const
{
    const Problem& problem = m_pool.problem();
    const std::vector<OpId>& ops = m_pool.set(set).ops;
    std::vector<OpId> out{o};
    for (std::size_t i = 0; i < out.size(); ++i)
        for (const OpId p : ops) {
            const OpId from = down ? out[i] : p;
            const OpId to = down ? p : out[i];
            const std::vector<TensorId>& inputs = problem.op(to).inputs;
            if (std::ranges::find(inputs, problem.op(from).output) != inputs.end() &&
                std::ranges::find(out, p) == out.end())
                out.push_back(p);
        }
    return out;
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
    for (std::size_t i = 0; i < out.size(); ++i)
        for (const OpId p : ops)
            if (std::ranges::find(out, p) == out.end() && adjacent(out[i], p))
                out.push_back(p);
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
        replace(b, united(setB, {oa}));
        return true;
    }
    if (feeds && dice < 36) {
        move = CopyAll;
        replace(b, united(setB, cone(setA, oa, false)));
        return true;
    }
    if (m_pool.set(setA).lock >= 0)
        return false;
    if (dice < 68) {
        move = Merge;
        const std::vector<OpId> all = united(setB, m_pool.set(setA).ops);
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
        moved = dice < 93 ? cone(setA, oa, feeds) : partWithout(setA, oa, via);
    }
    (void)ob;
    std::vector<OpId> rest = without(setA, moved);
    replace(b, united(setB, moved));
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
        part = cone(set, o, true);
        break;
    case 2:
        move = SplitCone;
        part = cone(set, o, false);
        break;
    default:
        move = SplitPart;
        part = partWithout(set, o, via);
        break;
    }
    std::vector<OpId> rest = without(set, part);
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

/// The pool keeps every op set ever tried; from time to time only those of the plans are worth keeping.
void Annealer::compact()
{
    struct Part
    {
        std::vector<OpId> ops;
        std::int32_t lock;
        std::vector<TensorId> retain;
        double latency;
        bool refined;
    };
    std::vector<Part> kept[2];
    Plan* plans[2] = {&m_current, &m_best};
    for (int i = 0; i < 2; ++i)
        for (const PlanEntry& e : plans[i]->entries)
            kept[i].push_back({m_pool.set(e.set).ops, m_pool.set(e.set).lock, m_pool.retain(e.retain),
                               e.latency, e.refined});
    m_pool.clear();
    for (int i = 0; i < 2; ++i) {
        RetainId before = 0;
        for (std::size_t j = 0; j < kept[i].size(); ++j) {
            Part& p = kept[i][j];
            PlanEntry& e = plans[i]->entries[j];
            e = {m_pool.intern(std::move(p.ops), p.lock), m_pool.internRetain(std::move(p.retain)), before,
                 p.latency, p.refined};
            before = e.retain;
        }
    }
    m_indexed = false;
}

bool Annealer::step(double temperature)
{
    if (m_pool.size() > kMaxSets)
        compact();
    index();
    m_next = m_current;
    int move = Merge;
    if (!propose(move))
        return false;
    MoveStatistics& statistics = m_statistics[static_cast<std::size_t>(move)];
    ++statistics.tried;
    // The loss that would just be accepted, drawn first so that hopeless changes are dropped early.
    const double allowed = temperature > 0 ? -std::log(1.0 - m_random.unit()) * temperature : 0;
    if (!m_settler.settle(m_next, m_current.total + allowed))
        return false;
    ++statistics.settled;
    if (m_next.total > m_current.total + allowed)
        return false;
    ++statistics.accepted;
    std::swap(m_current, m_next);
    m_indexed = false;
    // Close to the best, small differences count: look harder for tilings.
    if (m_current.total < m_best.total * kNear)
        refine(m_current);
    if (m_current.total < m_best.total * (1 - 1e-12)) {
        ++statistics.improved;
        m_best = m_current;
        return true;
    }
    return false;
}

void Annealer::refine(Plan& plan)
{
    bool changed = false;
    RetainId before = 0;
    for (PlanEntry& e : plan.entries) {
        if (!e.refined && m_keepGoing()) {
            e.latency = m_pool.refine(e.set, before, e.retain);
            e.resident = before;
            e.refined = true;
            changed = true;
        }
        before = e.retain;
    }
    if (!changed)
        return;
    plan.total = 0;
    for (const PlanEntry& e : plan.entries)
        plan.total += e.latency;
}

Plan Annealer::fuseGreedily(Plan plan, const std::function<bool()>& keepGoing)
{
    const Problem& problem = m_pool.problem();
    if (!m_settler.settle(plan))
        return plan;
    struct Candidate
    {
        double gain;
        SetId a, b;
        bool operator<(const Candidate& other) const
        {
            return gain != other.gain ? gain < other.gain : std::pair(a, b) > std::pair(other.a, other.b);
        }
    };
    std::priority_queue<Candidate> queue;
    const auto consider = [&](SetId a, SetId b) {
        if (m_pool.set(a).lock >= 0 || m_pool.set(b).lock >= 0)
            return;
        const SetId both = m_pool.intern(united(a, m_pool.set(b).ops));
        const double gain = m_pool.latency(a, 0, 0) + m_pool.latency(b, 0, 0) - m_pool.latency(both, 0, 0);
        if (gain > 0)
            queue.push({gain, a, b});
    };
    const auto touching = [&](SetId s, std::vector<SetId>& out) {
        std::vector<SetId>& result = out;
        result.clear();
        const OpSet& set = m_pool.set(s);
        std::vector<TensorId> tensors = set.allInputs;
        tensors.insert(tensors.end(), set.produced.begin(), set.produced.end());
        for (const PlanEntry& e : plan.entries) {
            if (e.set == s)
                continue;
            const OpSet& other = m_pool.set(e.set);
            for (const TensorId t : tensors)
                if (std::ranges::binary_search(other.allInputs, t) ||
                    std::ranges::binary_search(other.produced, t)) {
                    result.push_back(e.set);
                    break;
                }
        }
    };
    (void)problem;
    std::vector<SetId> near;
    for (std::size_t i = 0; i < plan.entries.size() && keepGoing(); ++i) {
        touching(plan.entries[i].set, near);
        for (const SetId other : near)
            if (plan.entries[i].set < other)
                consider(plan.entries[i].set, other);
    }
    while (!queue.empty() && keepGoing()) {
        const Candidate c = queue.top();
        queue.pop();
        const auto find = [&](SetId s) {
            return std::ranges::find(plan.entries, s, &PlanEntry::set) - plan.entries.begin();
        };
        const auto ia = find(c.a);
        const auto ib = find(c.b);
        const auto n = static_cast<std::ptrdiff_t>(plan.entries.size());
        if (ia == n || ib == n)
            continue;
        Plan next = plan;
        const SetId both = m_pool.intern(united(c.a, m_pool.set(c.b).ops));
        next.entries[static_cast<std::size_t>(std::max(ia, ib))] = {both};
        next.entries.erase(next.entries.begin() + std::min(ia, ib));
        if (!m_settler.settle(next, plan.total))
            continue;
        plan = std::move(next);
        touching(both, near);
        for (const SetId other : near) {
            consider(both, other);
            if (!keepGoing())
                break;
        }
    }
    return plan;
}

} // namespace tilewright
