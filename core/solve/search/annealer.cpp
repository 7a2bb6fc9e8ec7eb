// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/annealer.h"
#include "solve/cost/op_lists.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace tilewright {

namespace {

/// Op sets that a pool may hold.
constexpr std::size_t kMaxSets = 30000;
/// Plans within this factor of the best are refined.
constexpr double kNear = 1.003;

/// Changes of a hundred that also retain whatever fits between the changed subgraphs and their neighbours.
/// Measured on families whose tensors fit several at once; where they do not, it hardly matters.
constexpr std::uint32_t kRetainAround = 15;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

} // namespace

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

bool Annealer::tidy()
{
    if (m_pool.size() <= kMaxSets)
        return false;
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
    return true;
}

bool Annealer::step(double temperature)
{
    index();
    m_next = m_current;
    int move = Merge;
    if (!propose(move))
        return false;
    if (m_random.below(100) < kRetainAround)
        retainAround();
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
        const SetId both = m_pool.intern(united(m_pool.set(a).ops, m_pool.set(b).ops));
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
        const SetId both = m_pool.intern(united(m_pool.set(c.a).ops, m_pool.set(c.b).ops));
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
