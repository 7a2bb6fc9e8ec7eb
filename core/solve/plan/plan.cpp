// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tilewright {

PlanSettler::PlanSettler(SubgraphPool& pool)
    : m_pool(pool), m_needed(pool.problem().tensorCount()), m_stored(pool.problem().tensorCount()),
      m_provider(pool.problem().tensorCount()), m_graphOutput(pool.problem().tensorCount())
{
    for (const TensorId t : pool.problem().graphOutputs())
        m_graphOutput[t.index()] = 1;
}

Plan PlanSettler::singles()
{
    Plan plan;
    for (const OpId o : m_pool.problem().topologicalOrder())
        plan.entries.push_back({m_pool.intern({o})});
    return plan;
}

/// Removes ops whose output is a sink that nobody reads from slow memory, or that was stored before.
bool PlanSettler::prune(std::vector<PlanEntry>& entries)
{
    bool changed = false;
    ++m_stamp;
    for (const PlanEntry& e : entries) {
        for (const TensorId t : m_pool.set(e.set).inputs)
            m_needed[t.index()] = m_stamp;
        for (const TensorId t : m_pool.set(e.set).bases)
            m_needed[t.index()] = m_stamp;
    }
    m_scratch.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const PlanEntry& e = entries[i];
        const OpSet& set = m_pool.set(e.set);
        const auto useless = [&](TensorId t) {
            if (m_stored[t.index()] == m_stamp)
                return std::ranges::find(m_pool.retain(e.retain), t) == m_pool.retain(e.retain).end();
            return m_needed[t.index()] != m_stamp && m_graphOutput[t.index()] == 0;
        };
        if (set.lock >= 0 || std::ranges::none_of(set.sinks, useless)) {
            m_scratch.push_back(e);
        } else {
            changed = true;
            m_ops.clear();
            for (const OpId o : set.ops) {
                const TensorId t = m_pool.problem().op(o).output;
                if (std::ranges::find(set.sinks, t) == set.sinks.end() || !useless(t))
                    m_ops.push_back(o);
            }
            if (!m_ops.empty())
                m_scratch.push_back({m_pool.intern(m_ops), e.retain});
        }
        for (const TensorId t : m_pool.set(e.set).sinks)
            if (std::ranges::find(m_pool.retain(e.retain), t) == m_pool.retain(e.retain).end())
                m_stored[t.index()] = m_stamp;
    }
    if (changed)
        entries.swap(m_scratch);
    return changed;
}

void PlanSettler::filterRetains(std::vector<PlanEntry>& entries)
{
    std::vector<TensorId> kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        PlanEntry& e = entries[i];
        if (const std::int32_t lock = m_pool.set(e.set).lock; lock >= 0) {
            // What a person pinned is not the search's to change, whatever a move did to it.
            if (const RetainId pinned = m_pool.pinnedRetain(e.set); e.retain != pinned) {
                e.retain = pinned;
                e.latency = std::numeric_limits<double>::quiet_NaN();
            }
            continue;
        }
        if (e.retain == 0)
            continue;
        kept.clear();
        if (i + 1 < entries.size()) {
            const std::vector<TensorId>& produced = m_pool.set(e.set).produced;
            const std::vector<TensorId>& read = m_pool.set(entries[i + 1].set).inputs;
            for (const TensorId t : m_pool.retain(e.retain))
                if (std::ranges::binary_search(produced, t) && std::ranges::binary_search(read, t))
                    kept.push_back(t);
        }
        if (kept.size() != m_pool.retain(e.retain).size()) {
            e.retain = m_pool.internRetain(kept);
            e.latency = std::numeric_limits<double>::quiet_NaN();
        }
    }
}

bool PlanSettler::inOrder(const std::vector<PlanEntry>& entries)
{
    ++m_stamp;
    RetainId before = 0;
    for (const PlanEntry& e : entries) {
        const std::vector<TensorId>& resident = m_pool.retain(before);
        const OpSet& set = m_pool.set(e.set);
        for (const TensorId t : set.inputs)
            if (m_stored[t.index()] != m_stamp &&
                (before == 0 || std::ranges::find(resident, t) == resident.end()))
                return false;
        for (const TensorId t : set.bases) // what is resident is not enough (R1.7)
            if (m_stored[t.index()] != m_stamp)
                return false;
        const std::vector<TensorId>& retained = m_pool.retain(e.retain);
        for (const TensorId t : set.sinks)
            if (e.retain == 0 || std::ranges::find(retained, t) == retained.end())
                m_stored[t.index()] = m_stamp;
        before = e.retain;
    }
    return std::ranges::all_of(m_pool.problem().graphOutputs(),
                               [&](TensorId t) { return m_stored[t.index()] == m_stamp; });
}

/// Kahn's order over blocks of entries tied together by retained tensors; ties keep the given order.
bool PlanSettler::reorder(std::vector<PlanEntry>& entries)
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
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::vector<TensorId>& retained = m_pool.retain(entries[i].retain);
        for (const TensorId t : m_pool.set(entries[i].set).sinks)
            if (m_stored[t.index()] != m_stamp && std::ranges::find(retained, t) == retained.end()) {
                m_stored[t.index()] = m_stamp;
                m_provider[t.index()] = static_cast<std::int32_t>(i);
            }
    }
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
        for (const TensorId t : m_pool.set(entries[i].set).inputs) {
            if (i > 0 && entries[i - 1].retain != 0) {
                const std::vector<TensorId>& resident = m_pool.retain(entries[i - 1].retain);
                if (std::ranges::find(resident, t) != resident.end())
                    continue;
            }
            if (!waitsFor(i, t))
                return false;
        }
        for (const TensorId t : m_pool.set(entries[i].set).bases)
            if (!waitsFor(i, t))
                return false;
    }
    // A heap, smallest first; ascending numbers are one already.
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

double PlanSettler::knownCost(const std::vector<PlanEntry>& entries) const
{
    double sum = 0;
    RetainId before = 0;
    for (const PlanEntry& e : entries) {
        sum += e.resident == before && !std::isnan(e.latency) ? e.latency
                                                              : m_pool.knownLatency(e.set, before, e.retain);
        before = e.retain;
    }
    return sum;
}

bool PlanSettler::cost(Plan& plan, double limit)
{
    RetainId before = 0;
    const auto isCosted = [&](const PlanEntry& e) { return e.resident == before && !std::isnan(e.latency); };
    plan.total = 0;
    for (const PlanEntry& e : plan.entries) {
        if (isCosted(e))
            plan.total += e.latency;
        before = e.retain;
    }
    if (plan.total > limit)
        return false;
    // What no tiling goes below is known many times sooner than the best tiling.
    const bool limited = limit < std::numeric_limits<double>::infinity();
    const double most = limit * (1 + 1e-12); // sums in another order
    double least = 0;
    before = 0;
    for (const PlanEntry& e : plan.entries) {
        if (limited && !isCosted(e)) {
            least += m_pool.floor(e.set, before, e.retain);
            if (plan.total + least > most)
                return false;
        }
        before = e.retain;
    }
    before = 0;
    for (PlanEntry& e : plan.entries) {
        if (!isCosted(e)) {
            if (limited)
                least -= m_pool.floor(e.set, before, e.retain);
            e.resident = before;
            e.refined = false;
            e.latency = limited ? m_pool.latencyBelow(most - plan.total - least, e.set, before, e.retain)
                                : m_pool.latency(e.set, before, e.retain);
            plan.total += e.latency;
            if (plan.total + least > most) {
                e.latency = std::numeric_limits<double>::quiet_NaN(); // may not be known
                return false;
            }
        }
        before = e.retain;
    }
    // Sum anew in order, so that equal plans have equal totals.
    plan.total = 0;
    for (const PlanEntry& e : plan.entries)
        plan.total += e.latency;
    return plan.feasible();
}

bool PlanSettler::settle(Plan& plan, double limit)
{
    std::vector<PlanEntry>& entries = plan.entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const OpSet& set = m_pool.set(entries[i].set);
        if (set.connected || set.lock >= 0)
            continue;
        m_pool.components(set.ops, m_parts);
        const RetainId retain = entries[i].retain;
        std::vector<PlanEntry> parts;
        for (std::vector<OpId>& part : m_parts)
            parts.push_back({m_pool.intern(std::move(part))});
        if (!parts.empty()) // a subgraph of a start that has no ops is none
            parts.back().retain = retain;
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
        entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(i), parts.begin(), parts.end());
        i += parts.size() - 1;
    }
    for (int round = 0; round < 32 && prune(entries); ++round) {
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (const OpSet& set = m_pool.set(entries[i].set); !set.connected && set.lock < 0)
                return settle(plan, limit);
    }
    filterRetains(entries);
    // Ordering moves what is tied by retained tensors as a whole, so costs stay.
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

} // namespace tilewright
