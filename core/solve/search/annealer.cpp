// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/annealer.h"

namespace tilewright {

namespace {

/// Op sets that a pool may hold.
constexpr std::size_t kMaxSets = 30000;
/// Plans that cost less than so many times the best one get a thorough search for tilings.
constexpr double kNear = 1.003;

/// Share, in percent, of the moves that also retain whatever fits between the changed subgraphs and their
/// neighbours. Measured on families with tensors of which several fit at once; elsewhere it hardly matters.
constexpr std::uint32_t kRetainAround = 15;

} // namespace

Annealer::Annealer(SubgraphPool& pool, std::uint64_t seed)
    : m_pool(pool), m_settler(pool), m_random(seed), m_holders(pool.problem().opCount())
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

bool Annealer::tidy()
{
    if (m_pool.size() <= kMaxSets)
        return false;
    const PortablePlan current = portable(m_pool, m_current);
    const PortablePlan best = portable(m_pool, m_best);
    m_pool.clear();
    for (const auto& [plan, kept] : {std::pair(&m_current, &current), std::pair(&m_best, &best)})
        for (std::size_t i = 0; i < kept->size(); ++i) // their latencies stay
            static_cast<PlannedSet&>(plan->entries[i]) = m_pool.intern((*kept)[i]);
    m_indexed = false;
    return true;
}

bool Annealer::step(double temperature)
{
    index();
    m_next = m_current;
    if (!propose())
        return false;
    if (m_random.below(100) < kRetainAround)
        retainAround();
    // The loss that would just be accepted, drawn first so that hopeless moves are dropped early.
    const double allowed = temperature > 0 ? -std::log(1.0 - m_random.unit()) * temperature : 0;
    if (!m_settler.settle(m_next, m_current.total + allowed) || m_next.total > m_current.total + allowed)
        return false;
    std::swap(m_current, m_next);
    m_indexed = false;
    // Close to the best plan small differences count.
    if (m_current.total < m_best.total * kNear)
        refine(m_current);
    if (m_current.total >= m_best.total * (1 - 1e-12))
        return false;
    m_best = m_current;
    return true;
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
