// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan/plan.h"

namespace tilewright {

PortablePlan portable(const SubgraphPool& pool, const Plan& plan)
{
    PortablePlan out;
    for (const CostedSet& e : plan.entries)
        out.push_back(pool.portable(e));
    return out;
}

Plan toPlan(SubgraphPool& pool, const PortablePlan& sets)
{
    Plan out;
    for (const PortableSet& s : sets)
        out.entries.push_back({pool.intern(s)});
    return out;
}

std::vector<TensorId> handedOver(const OpSet& from, const OpSet& to)
{
    std::vector<TensorId> out;
    std::ranges::set_intersection(from.produced, to.inputs, std::back_inserter(out));
    return out;
}

TensorId randomTensorOf(const Op& op, RandomGenerator& random)
{
    const std::uint32_t which = random.below(op.inputs.size() + 1);
    return which < op.inputs.size() ? op.inputs[which] : op.output;
}

PlanRepair::PlanRepair(SubgraphPool& pool)
    : m_pool(pool), m_needed(pool.problem().tensorCount()), m_stored(pool.problem().tensorCount()),
      m_provider(pool.problem().tensorCount()), m_graphOutput(pool.problem().tensorCount())
{
    for (const TensorId t : pool.problem().graphOutputs())
        m_graphOutput[t.index()] = 1;
}

Plan PlanRepair::singles()
{
    Plan plan;
    for (const OpId o : m_pool.problem().topologicalOrder())
        plan.entries.push_back({{m_pool.intern({o})}});
    return plan;
}

/// Removes ops with useless results from the entries. A result is useless if no entry reads it and it is no
/// graph output, or if an earlier entry has stored it and this entry does not retain it.
bool PlanRepair::prune(std::vector<CostedSet>& entries)
{
    bool changed = false;
    ++m_stamp;
    for (const CostedSet& e : entries) {
        for (const TensorId t : m_pool.set(e.set).inputs)
            m_needed[t.index()] = m_stamp;
        for (const TensorId t : m_pool.set(e.set).bases)
            m_needed[t.index()] = m_stamp;
    }
    m_scratch.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const CostedSet& e = entries[i];
        const OpSet& set = m_pool.set(e.set);
        const auto useless = [&](TensorId t) {
            if (m_stored[t.index()] == m_stamp)
                return !isIn(t, m_pool.retain(e.retain));
            return m_needed[t.index()] != m_stamp && m_graphOutput[t.index()] == 0;
        };
        const auto rest = [&]() -> const std::vector<OpId>& {
            m_ops.clear();
            for (const OpId o : set.ops) {
                const TensorId t = m_pool.problem().op(o).output;
                if (!isIn(t, set.sinks) || !useless(t))
                    m_ops.push_back(o);
            }
            return m_ops;
        };
        // Ops that a constraint requires to run together are not separated.
        if (set.lock >= 0 || std::ranges::none_of(set.sinks, useless) ||
            !m_pool.constraints().allowsOps(rest())) {
            m_scratch.push_back(e);
        } else {
            changed = true;
            if (!m_ops.empty())
                m_scratch.push_back({{m_pool.intern(m_ops), 0, e.retain}});
        }
        forEachStored(m_pool, e, [&](TensorId t) { m_stored[t.index()] = m_stamp; });
    }
    if (changed)
        entries.swap(m_scratch);
    return changed;
}

/// For retain_inputs=allow and carry: true if entry `at` may retain tensor `t` (R4.6) and some later entry
/// reads `t` before `t` leaves fast memory or is produced again. The lists of retained tensors of earlier
/// entries must be final.
bool PlanRepair::isKept(const std::vector<CostedSet>& entries, std::size_t at, TensorId t) const
{
    const bool carries = m_pool.rules().retainInputs == Rules::RetainInputs::Carry;
    const auto reads = [&](std::size_t i) {
        return std::ranges::binary_search(m_pool.set(entries[i].set).allInputs, t);
    };
    const auto produces = [&](std::size_t i) {
        return std::ranges::binary_search(m_pool.set(entries[i].set).produced, t);
    };
    const bool isResident = at > 0 && isIn(t, m_pool.retain(entries[at - 1].retain));
    if (m_pool.problem().isView(t) || !(produces(at) || reads(at) || (carries && isResident)))
        return false;
    for (std::size_t i = at + 1; i < entries.size(); ++i) {
        if (produces(i))
            return false;
        if (reads(i))
            return true;
        if (!carries || !isIn(t, m_pool.retain(entries[i].retain)))
            return false;
    }
    return false;
}

void PlanRepair::filterRetains(std::vector<CostedSet>& entries)
{
    std::vector<TensorId> kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        CostedSet& e = entries[i];
        if (const std::int32_t lock = m_pool.set(e.set).lock; lock >= 0) {
            // A locked subgraph retains the tensors chosen by the user, even if a move has changed the list.
            if (const RetainId pinned = m_pool.lockedRetain(e.set); e.retain != pinned) {
                e.retain = pinned;
                e.clearLatency();
            }
            continue;
        }
        const std::vector<TensorId>& required = m_pool.set(e.set).kept;
        if (e.retain == 0 && required.empty())
            continue;
        kept.clear();
        if (i + 1 < entries.size()) {
            const std::vector<TensorId>& produced = m_pool.set(e.set).produced;
            const std::vector<TensorId>& read = m_pool.set(entries[i + 1].set).inputs;
            for (const TensorId t : m_pool.retain(e.retain))
                if (m_pool.rules().keepsInputs()
                        ? isKept(entries, i, t)
                        : std::ranges::binary_search(produced, t) && std::ranges::binary_search(read, t))
                    kept.push_back(t);
            std::erase_if(kept, [&](TensorId t) { return !m_pool.mayRetain(t); });
            for (const TensorId t : required)
                if (!isIn(t, kept) && std::ranges::binary_search(read, t))
                    kept.push_back(t);
        }
        if (!std::ranges::is_permutation(kept, m_pool.retain(e.retain))) {
            e.retain = m_pool.internRetain(kept);
            e.clearLatency();
        }
    }
}

bool PlanRepair::inOrder(const std::vector<CostedSet>& entries)
{
    ++m_stamp;
    const auto isStored = [&](TensorId t) { return m_stored[t.index()] == m_stamp; };
    RetainId before = 0;
    for (const CostedSet& e : entries) {
        const PlannedSet p{e.set, std::exchange(before, e.retain), e.retain};
        if (!allReads(m_pool, p, isStored))
            return false;
        forEachStored(m_pool, p, [&](TensorId t) { m_stored[t.index()] = m_stamp; });
    }
    return std::ranges::all_of(m_pool.problem().graphOutputs(), isStored);
}

/// Sorts the entries topologically (Kahn's algorithm). Consecutive entries that are linked by retained
/// tensors form a block, which is moved as a whole. Ties keep the given order.
bool PlanRepair::reorder(std::vector<CostedSet>& entries)
{
    const auto n = static_cast<std::uint32_t>(entries.size());
    m_block.resize(n);
    m_blockStart.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
        if (i == 0 || entries[i - 1].retain == 0)
            m_blockStart.push_back(i);
        m_block[i] = static_cast<std::uint32_t>(m_blockStart.size() - 1);
    }
    const auto blocks = static_cast<std::uint32_t>(m_blockStart.size());
    m_blockStart.push_back(n);
    ++m_stamp;
    for (std::uint32_t i = 0; i < n; ++i)
        forEachStored(m_pool, entries[i], [&](TensorId t) {
            if (m_stored[t.index()] != m_stamp) {
                m_stored[t.index()] = m_stamp;
                m_provider[t.index()] = static_cast<std::int32_t>(i);
            }
        });
    m_edges.clear();
    m_firstEdge.assign(blocks, -1);
    m_waiting.assign(blocks, 0);
    const auto waitsFor = [&](std::uint32_t i, TensorId t) {
        if (m_stored[t.index()] != m_stamp)
            return false;
        const std::uint32_t from = m_block[static_cast<std::uint32_t>(m_provider[t.index()])];
        if (from == m_block[i])
            return static_cast<std::uint32_t>(m_provider[t.index()]) < i;
        m_edges.push_back({m_block[i], m_firstEdge[from]});
        m_firstEdge[from] = static_cast<std::int32_t>(m_edges.size() - 1);
        ++m_waiting[m_block[i]];
        return true;
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        const PlannedSet p{entries[i].set, i > 0 ? entries[i - 1].retain : 0, entries[i].retain};
        if (!allReads(m_pool, p, [&](TensorId t) { return waitsFor(i, t); }))
            return false;
    }
    // m_ready is a min-heap. It is filled in ascending order, which makes it a valid heap.
    m_ready.clear();
    for (std::uint32_t b = 0; b < blocks; ++b)
        if (m_waiting[b] == 0)
            m_ready.push_back(b);
    m_scratch.clear();
    while (!m_ready.empty()) {
        std::ranges::pop_heap(m_ready, std::greater<>());
        const std::uint32_t b = m_ready.back();
        m_ready.pop_back();
        for (std::uint32_t i = m_blockStart[b]; i < m_blockStart[b + 1]; ++i)
            m_scratch.push_back(entries[i]);
        for (std::int32_t e = m_firstEdge[b]; e >= 0; e = m_edges[static_cast<std::size_t>(e)].next)
            if (const std::uint32_t f = m_edges[static_cast<std::size_t>(e)].to; --m_waiting[f] == 0) {
                m_ready.push_back(f);
                std::ranges::push_heap(m_ready, std::greater<>());
            }
    }
    if (m_scratch.size() != n)
        return false;
    entries.swap(m_scratch);
    return true;
}

double PlanRepair::knownCost(const std::vector<CostedSet>& entries) const
{
    double sum = 0;
    RetainId before = 0;
    for (const CostedSet& e : entries) {
        sum += e.resident == before && e.hasLatency() ? e.latency
                                                      : m_pool.knownLatency({e.set, before, e.retain});
        before = e.retain;
    }
    return sum;
}

bool PlanRepair::cost(Plan& plan, double limit)
{
    RetainId before = 0;
    const auto hasLatency = [&](const CostedSet& e) { return e.resident == before && e.hasLatency(); };
    plan.total = 0;
    for (const CostedSet& e : plan.entries) {
        if (hasLatency(e))
            plan.total += e.latency;
        before = e.retain;
    }
    if (plan.total > limit)
        return false;
    // With a limit on the latency, a lower bound often shows that no tiling is good enough. This is much
    // faster than a search for the best tiling.
    const bool limited = limit < std::numeric_limits<double>::infinity();
    const double most = limit * (1 + 1e-12); // tolerance, since the latencies are summed in another order
    double least = 0;
    before = 0;
    for (const CostedSet& e : plan.entries) {
        if (limited && !hasLatency(e)) {
            least += m_pool.latencyFloor({e.set, before, e.retain});
            if (plan.total + least > most)
                return false;
        }
        before = e.retain;
    }
    before = 0;
    for (CostedSet& e : plan.entries) {
        if (!hasLatency(e)) {
            e.resident = before;
            e.refined = false;
            if (limited)
                least -= m_pool.latencyFloor(e);
            e.latency = limited ? m_pool.latencyBelow(most - plan.total - least, e) : m_pool.latency(e);
            plan.total += e.latency;
            if (plan.total + least > most) {
                e.clearLatency(); // latencyBelow() may have returned infinity instead of the latency
                return false;
            }
        }
        before = e.retain;
    }
    plan.addUp();
    return plan.feasible();
}

bool PlanRepair::makeValid(Plan& plan, double limit)
{
    std::vector<CostedSet>& entries = plan.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const OpSet& set = m_pool.set(entries[i].set);
        if (set.connected || set.lock >= 0)
            continue;
        m_pool.components(set.ops, m_parts);
        const RetainId retain = entries[i].retain;
        std::vector<CostedSet> parts;
        for (std::vector<OpId>& part : m_parts)
            parts.push_back({{m_pool.intern(std::move(part))}});
        if (!parts.empty()) // a subgraph without ops is dropped
            parts.back().retain = retain;
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
        entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(i), parts.begin(), parts.end());
        i += parts.size() - 1;
    }
    for (int round = 0; round < 32 && prune(entries); ++round) {
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (const OpSet& set = m_pool.set(entries[i].set); !set.connected && set.lock < 0)
                return makeValid(plan, limit);
    }
    filterRetains(entries);
    // Reordering moves linked entries as a block, so their latencies do not change.
    if (knownCost(entries) > limit)
        return false;
    if (!inOrder(entries)) {
        if (!reorder(entries))
            return false;
        filterRetains(entries);
        if (!inOrder(entries))
            return false;
    }
    return cost(plan, limit);
}

Schedule toSchedule(SubgraphPool& pool, const Plan& plan, const std::function<bool()>& keepGoing)
{
    Schedule schedule;
    RetainId before = 0;
    for (const CostedSet& e : plan.entries) {
        const OpSet& set = pool.set(e.set);
        const PlannedSet planned{e.set, std::exchange(before, e.retain), e.retain};
        auto subgraph = std::make_shared<Subgraph>();
        if (set.lock >= 0) {
            *subgraph = pool.locked()[static_cast<std::size_t>(set.lock)].subgraph;
            const TraversalKind kind = subgraph->traversal.kind();
            if (kind != TraversalKind::Custom && kind != TraversalKind::Spiral)
                subgraph->traversal = pool.tiling(planned, TilingEffort::Quick).traversal;
        } else {
            Tiling tiling =
                pool.bestTiling(planned, keepGoing() ? TilingEffort::Thorough : TilingEffort::Quick);
            if (keepGoing()) // of equally fast tilings, round sizes are easier to read
                tiling = pool.preferRoundSizes(planned, tiling);
            subgraph->ops = set.ops;
            subgraph->granularity = tiling.granularity;
            subgraph->traversal = Traversal(tiling.traversal);
        }
        subgraph->retain = pool.retain(e.retain);
        subgraph->reportedLatency.reset();
        schedule.subgraphs.push_back(std::move(subgraph));
    }
    return schedule;
}

StartPlan startPlan(const Schedule& schedule, const std::vector<OpId>& selection)
{
    StartPlan out;
    for (const SubgraphPtr& s : schedule.subgraphs) {
        if (s->ops.empty()) // an unfinished schedule may contain empty subgraphs
            continue;
        PortableSet& set = out.sets.emplace_back(PortableSet{s->ops, {}, s->retain});
        out.granularities.push_back(s->granularity);
        const auto isSelected = [&](OpId o) { return isIn(o, selection); };
        if (s->locked || !(selection.empty() || std::ranges::any_of(s->ops, isSelected))) {
            set.lock = static_cast<std::int32_t>(out.locked.size());
            out.locked.push_back({*s});
        }
    }
    return out;
}

Plan toPlan(SubgraphPool& pool, const StartPlan& start)
{
    Plan plan = toPlan(pool, start.sets);
    for (std::size_t i = 0; i < start.sets.size(); ++i)
        if (start.sets[i].lock < 0)
            pool.addHint(plan.entries[i].set, start.granularities[i]);
    return plan;
}

} // namespace tilewright
