// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/annealer.h"

namespace tilewright {

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
        for (std::size_t i = 0; i < kept->size(); ++i) // the costs of the kept sets do not change
            static_cast<PlannedSet&>(plan->entries[i]) = m_pool.intern((*kept)[i]);
    m_isIndexed = false;
}

bool Annealer::step(double temperature)
{
    index();
    m_next = m_current;
    if (!makeMove(m_pool, m_index, m_next, m_random))
        return false;
    // Largest increase of the latency that this step accepts. It is drawn before the move, so that bad moves
    // are rejected early.
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
