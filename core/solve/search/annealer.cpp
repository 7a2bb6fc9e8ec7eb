// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/annealer.h"

namespace tilewright {

namespace {

/// Percentage of the moves that also retain tensors between the changed subgraphs and their neighbours
/// (retainAround()). The value was measured on problems where several tensors fit at once; on other problems
/// it has little influence.
constexpr std::uint32_t kRetainAround = 15;

/// The moves of the annealer. Each move changes the entries of the plan, or returns false if it is
/// impossible.
class Moves
{
public:
    Moves(SubgraphPool& pool, const PlanIndex& index, Plan& plan, RandomGenerator& random)
        : m_pool(pool), m_problem(pool.problem()), m_index(index), m_entries(plan.entries), m_random(random)
    {
    }

    [[nodiscard]] bool make()
    {
        if (!draw())
            return false;
        if (m_random.below(100) < kRetainAround)
            retainAround();
        return true;
    }

private:
    [[nodiscard]] bool isLocked(SetId set) const { return m_pool.set(set).lock >= 0; }

    void replace(std::uint32_t entry, std::vector<OpId> ops)
    {
        CostedSet& e = m_entries[entry];
        e.set = m_pool.intern(std::move(ops));
        e.clearLatency();
    }

    void setRetain(std::uint32_t entry, RetainId retain)
    {
        m_entries[entry].retain = retain;
        m_entries[entry].clearLatency();
    }

    void erase(std::uint32_t entry) { m_entries.erase(m_entries.begin() + entry); }

    /// Returns the part of the set that stays connected to op `o` when the connections by tensor `t` are cut.
    [[nodiscard]] std::vector<OpId> partWithout(SetId set, OpId o, TensorId t) const
    {
        const auto touches = [&](OpId a, TensorId x) {
            return m_problem.op(a).output == x || isIn(x, m_problem.op(a).inputs);
        };
        const auto adjacent = [&](OpId a, OpId b) {
            const Op& op = m_problem.op(a);
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

    /// Moves entry `second` directly behind `first`, which then retains the list `retain`. Entries linked to
    /// `second` by retained tensors move with it.
    void moveBehind(std::uint32_t first, std::uint32_t second, RetainId retain)
    {
        if (second != first + 1) {
            std::uint32_t end = second + 1;
            while (end < m_entries.size() && m_entries[end - 1].retain != 0)
                ++end;
            if (second > 0)
                m_entries[second - 1].retain = 0;
            m_entries[second > 0 ? second - 1 : 0].clearLatency();
            const auto begin = m_entries.begin();
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

    /// Draws a move on entries `a` and `b`, which both touch tensor `via`; entry `a` runs op `oa`. Possible
    /// moves: `b` follows `a` and reads retained tensors, `b` recomputes ops of `a`, both are fused, or ops
    /// move from `a` to `b`.
    [[nodiscard]] bool proposeAcross(std::uint32_t a, std::uint32_t b, OpId oa, TensorId via)
    {
        const SetId setA = m_entries[a].set;
        const SetId setB = m_entries[b].set;
        const bool feeds = m_problem.op(oa).output == via;
        const std::uint32_t dice = m_random.below(100);
        if (feeds && dice < 18) {
            std::vector<TensorId> retain;
            for (const TensorId t : handedOver(m_pool.set(setA), m_pool.set(setB)))
                if (t == via || m_random.below(2) == 0)
                    retain.push_back(t);
            moveBehind(a, b, m_pool.internRetain(std::move(retain)));
            return true;
        }
        if (isLocked(setB))
            return false;
        if (feeds && dice < 36) { // `b` also runs op `oa`, alone or with its ancestors in `a`
            const std::vector<OpId> copied =
                dice < 28 ? std::vector{oa} : cone(m_problem, m_pool.set(setA).ops, oa, false);
            replace(b, united(m_pool.set(setB).ops, copied));
            return true;
        }
        if (isLocked(setA))
            return false;
        if (dice < 68) {
            const std::vector<OpId> all = united(m_pool.set(setB).ops, m_pool.set(setA).ops);
            // Of the two possible positions, the later one violates fewer dependencies; PlanRepair repairs
            // the remaining violations.
            replace(std::max(a, b), all);
            if (a < b && a > 0)
                m_entries[a - 1].clearLatency();
            erase(std::min(a, b));
            return true;
        }
        const std::vector<OpId> moved = dice < 86   ? std::vector{oa}
                                        : dice < 93 ? cone(m_problem, m_pool.set(setA).ops, oa, feeds)
                                                    : partWithout(setA, oa, via);
        std::vector<OpId> rest = without(m_pool.set(setA).ops, moved);
        replace(b, united(m_pool.set(setB).ops, moved));
        if (rest.empty())
            erase(a);
        else
            replace(a, std::move(rest));
        return true;
    }

    /// Splits entry `a`. The split-off part is op `o` alone, or `o` with its descendants or ancestors in the
    /// entry, or the part that stays connected to `o` without tensor `via`.
    [[nodiscard]] bool proposeInside(std::uint32_t a, OpId o, TensorId via)
    {
        const SetId set = m_entries[a].set;
        const std::vector<OpId>& ops = m_pool.set(set).ops;
        if (isLocked(set) || ops.size() < 2)
            return false;
        const std::uint32_t dice = m_random.below(4);
        const bool isCone = dice == 1 || dice == 2;
        std::vector<OpId> part = dice == 0 ? std::vector{o}
                                 : isCone  ? cone(m_problem, ops, o, dice == 1)
                                           : partWithout(set, o, via);
        std::vector<OpId> rest = without(ops, part);
        if (rest.empty())
            return false;
        if (!(isCone ? isIn(ops.front(), part) : m_random.below(2) == 0))
            std::swap(part, rest);
        replace(a, std::move(part));
        const RetainId retain = std::exchange(m_entries[a].retain, 0);
        m_entries.insert(m_entries.begin() + a + 1, CostedSet{{m_pool.intern(std::move(rest)), 0, retain}});
        return true;
    }

    /// Adds or removes one retained tensor between two consecutive subgraphs.
    [[nodiscard]] bool proposeRetain()
    {
        if (m_entries.size() < 2)
            return false;
        const std::uint32_t i = m_random.below(m_entries.size() - 1);
        const std::vector<TensorId> candidates =
            handedOver(m_pool.set(m_entries[i].set), m_pool.set(m_entries[i + 1].set));
        if (candidates.empty())
            return false;
        const TensorId t = m_random.pick(candidates);
        std::vector<TensorId> retain = m_pool.retain(m_entries[i].retain);
        if (std::erase(retain, t) == 0)
            retain.push_back(t);
        setRetain(i, m_pool.internRetain(std::move(retain)));
        return true;
    }

    /// For retain_inputs=allow and carry: keeps a tensor in fast memory from the last entry that produces or
    /// reads it until its next reader. If the tensor is already kept, stops keeping it.
    [[nodiscard]] bool proposeKeep()
    {
        constexpr std::uint32_t kFarthest = 12;
        if (m_entries.size() < 2) // the plan has only one subgraph, or there is no plan yet
            return false;
        const std::uint32_t to = m_random.below(m_entries.size());
        const std::vector<TensorId>& inputs = m_pool.set(m_entries[to].set).allInputs;
        if (to == 0 || inputs.empty())
            return false;
        const TensorId t = m_random.pick(inputs);
        std::uint32_t from = to;
        do {
            if (from == 0 || to - from >= kFarthest)
                return false;
            --from;
        } while (!isIn(t, m_pool.set(m_entries[from].set).produced) &&
                 !isIn(t, m_pool.set(m_entries[from].set).allInputs));
        const bool drops = isIn(t, m_pool.retain(m_entries[to - 1].retain));
        for (std::uint32_t i = from; i < to; ++i) {
            std::vector<TensorId> retain = m_pool.retain(m_entries[i].retain);
            std::erase(retain, t);
            if (!drops)
                retain.push_back(t);
            setRetain(i, m_pool.internRetain(std::move(retain)));
        }
        return true;
    }

    /// Retains tensors that the changed entries can hand over to their neighbours or receive from them, each
    /// with probability 3/4.
    void retainAround()
    {
        for (std::uint32_t i = 0; i + 1 < m_entries.size(); ++i) {
            if (m_entries[i].hasLatency() && m_entries[i + 1].hasLatency())
                continue;
            std::vector<TensorId> retain;
            const std::vector<TensorId> handed =
                handedOver(m_pool.set(m_entries[i].set), m_pool.set(m_entries[i + 1].set));
            for (const TensorId t : handed)
                if (m_random.below(4) != 0)
                    retain.push_back(t);
            if (m_pool.rules().keepsInputs()) // tensors that are kept for later entries remain retained
                for (const TensorId t : m_pool.retain(m_entries[i].retain))
                    if (!isIn(t, handed))
                        retain.push_back(t);
            setRetain(i, m_pool.internRetain(std::move(retain)));
        }
    }

    /// Moves one subgraph to another position in the order.
    [[nodiscard]] bool proposeRelocate()
    {
        const std::uint32_t from = m_random.below(m_entries.size());
        const std::uint32_t to = m_random.below(m_entries.size());
        if (from == to)
            return false;
        setRetain(from, 0);
        if (from > 0)
            setRetain(from - 1, 0);
        const CostedSet e = m_entries[from];
        erase(from);
        m_entries.insert(m_entries.begin() + to, e);
        return true;
    }

    [[nodiscard]] bool draw()
    {
        const std::uint32_t dice = m_random.below(100);
        if (dice < 8)
            return m_pool.rules().keepsInputs() && m_random.below(2) == 0 ? proposeKeep() : proposeRetain();
        if (dice < 10 && m_entries.size() > 2)
            return proposeRelocate();
        const OpId oa(m_random.below(m_problem.opCount()));
        const TensorId via = randomTensorOf(m_problem.op(oa), m_random);
        const auto consumers = m_problem.consumers(via);
        const std::optional<OpId> producer = m_problem.producer(via);
        const std::size_t choices = consumers.size() + (producer ? 1 : 0);
        if (choices < 2)
            return false;
        const std::uint32_t chosen = m_random.below(choices);
        const OpId ob = chosen < consumers.size() ? consumers[chosen] : *producer;
        if (ob == oa || m_index[oa.index()].empty() || m_index[ob.index()].empty())
            return false;
        const std::uint32_t a = m_random.pick(m_index[oa.index()]);
        const std::uint32_t b = m_random.pick(m_index[ob.index()]);
        return a == b ? proposeInside(a, oa, via) : proposeAcross(a, b, oa, via);
    }

    SubgraphPool& m_pool;
    const Problem& m_problem;
    const PlanIndex& m_index;
    std::vector<CostedSet>& m_entries;
    RandomGenerator& m_random;
};

} // namespace

bool makeMove(SubgraphPool& pool, const PlanIndex& index, Plan& plan, RandomGenerator& random)
{
    return Moves(pool, index, plan, random).make();
}

namespace {

/// Maximum number of op sets in a pool before clearLargePool() empties it.
constexpr std::size_t kMaxPoolSets = 30000;
/// Plans whose latency is below this multiple of the best latency get a thorough search for tilings.
constexpr double kRefineRatio = 1.003;

} // namespace

Annealer::Annealer(SubgraphPool& pool, std::uint64_t seed)
    : m_pool(pool), m_repair(pool), m_random(seed), m_index(pool.problem().opCount())
{
}

void Annealer::setCurrent(const Plan& plan)
{
    m_current = plan;
    if (m_current.total < m_best.total)
        m_best = m_current;
    m_isIndexed = false;
}

void Annealer::index()
{
    if (m_isIndexed)
        return;
    for (auto& list : m_index)
        list.clear();
    for (std::uint32_t i = 0; i < m_current.entries.size(); ++i)
        for (const OpId o : m_pool.set(m_current.entries[i].set).ops)
            m_index[o.index()].push_back(i);
    m_isIndexed = true;
}

void Annealer::clearLargePool()
{
    if (m_pool.size() <= kMaxPoolSets)
        return;
    const PortablePlan current = portable(m_pool, m_current);
    const PortablePlan best = portable(m_pool, m_best);
    m_pool.clear();
    for (const auto& [plan, kept] : {std::pair(&m_current, &current), std::pair(&m_best, &best)})
        for (std::size_t i = 0; i < kept->size(); ++i) // the costs of the sets that stay are unchanged
            static_cast<PlannedSet&>(plan->entries[i]) = m_pool.intern((*kept)[i]);
    m_isIndexed = false;
}

bool Annealer::step(double temperature)
{
    index();
    m_next = m_current;
    if (!makeMove(m_pool, m_index, m_next, m_random))
        return false;
    // Largest increase of the latency that this step accepts. The value is drawn before the move, so that bad
    // moves are rejected early.
    const double allowed = temperature > 0 ? -std::log(1.0 - m_random.unit()) * temperature : 0;
    if (!m_repair.makeValid(m_next, m_current.total + allowed) || m_next.total > m_current.total + allowed)
        return false;
    std::swap(m_current, m_next);
    m_isIndexed = false;
    // Near the best plan, small differences of the latency matter, so tilings are searched thoroughly.
    if (m_current.total < m_best.total * kRefineRatio)
        refine(m_current);
    if (m_current.total >= m_best.total * (1 - 1e-12))
        return false;
    m_best = m_current;
    return true;
}

bool Annealer::replanExactly(std::size_t maxOps)
{
    index();
    std::optional<Plan> plan =
        tilewright::replanExactly(m_pool, m_repair, m_index, m_current, maxOps, m_random, m_keepGoing);
    if (!plan)
        return false;
    refine(*plan);
    setCurrent(*plan);
    return m_current.total <= m_best.total;
}

void Annealer::refine(Plan& plan, bool all)
{
    bool changed = false;
    RetainId before = 0;
    for (CostedSet& e : plan.entries) {
        if ((all || !e.refined) && m_keepGoing()) {
            e.resident = before;
            e.latency = m_pool.refine(e);
            e.refined = true;
            changed = true;
        }
        before = e.retain;
    }
    if (changed)
        plan.addUp();
}

} // namespace tilewright
