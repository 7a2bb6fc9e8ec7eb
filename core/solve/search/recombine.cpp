// SPDX-License-Identifier: GPL-3.0-or-later
// One plan takes over what another does better, place by place.
#include "solve/search/annealer.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace tilewright {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Entries tied together by what is retained between them.
struct Stretch
{
    std::span<const PlanEntry> entries;
    double latency = 0;
    bool ours = false;
};

std::vector<Stretch> stretchesOf(const std::vector<PlanEntry>& entries, bool ours)
{
    std::vector<Stretch> out;
    for (std::size_t begin = 0, i = 0; i < entries.size(); ++i) {
        if (i > begin && entries[i - 1].retain == 0)
            begin = i;
        if (i == begin)
            out.push_back({{}, 0, ours});
        out.back().entries = std::span(entries).subspan(begin, i + 1 - begin);
        out.back().latency += entries[i].latency;
    }
    return out;
}

bool isSame(const Stretch& a, const Stretch& b)
{
    return std::ranges::equal(a.entries, b.entries, [](const PlanEntry& p, const PlanEntry& q) {
        return p.set == q.set && p.retain == q.retain;
    });
}

/// What only one of two plans has, in places: stretches that run the same op are in the same one. Outside
/// its places both plans are alike, so each can be of either plan by itself, but for what is read elsewhere.
class Places
{
public:
    Places(const SubgraphPool& pool, const std::vector<PlanEntry>& ours, const std::vector<PlanEntry>& theirs)
        : m_stretches(stretchesOf(ours, true)), m_ours(m_stretches.size())
    {
        const std::size_t ops = pool.problem().opCount();
        const auto firstOp = [&](const Stretch& s) {
            return pool.set(s.entries.front().set).ops.front().index();
        };
        std::vector<std::size_t> byOp(ops, kNone);
        for (std::size_t i = 0; i < m_ours; ++i)
            byOp[firstOp(m_stretches[i])] = i;
        m_shared.resize(m_ours);
        for (const Stretch& s : stretchesOf(theirs, false)) {
            const std::size_t i = byOp[firstOp(s)];
            if (i != kNone && !m_shared[i] && isSame(m_stretches[i], s))
                m_shared[i] = true;
            else
                m_stretches.push_back(s);
        }
        m_shared.resize(m_stretches.size());
        m_place.resize(m_stretches.size());
        std::iota(m_place.begin(), m_place.end(), std::size_t{0});
        byOp.assign(ops, kNone);
        for (std::size_t i = 0; i < m_stretches.size(); ++i) {
            if (m_shared[i])
                continue;
            for (const PlanEntry& e : m_stretches[i].entries)
                for (const OpId o : pool.set(e.set).ops) {
                    std::size_t& first = byOp[o.index()];
                    if (first == kNone)
                        first = i;
                    else
                        m_place[root(i)] = root(first);
                }
        }
    }
    [[nodiscard]] bool differ() const { return m_stretches.size() > m_ours; }

    struct Gain
    {
        std::size_t place;
        double latency;
    };
    /// Places where their plan is faster, the most first.
    [[nodiscard]] std::vector<Gain> gains()
    {
        std::vector<Gain> out(m_stretches.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i].place = i;
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!m_shared[i])
                out[root(i)].latency +=
                    m_stretches[i].ours ? m_stretches[i].latency : -m_stretches[i].latency;
        std::erase_if(out, [](const Gain& g) { return !(g.latency > 0); });
        std::ranges::stable_sort(out, std::ranges::greater(), &Gain::latency);
        return out;
    }

    void take(std::size_t place) { m_taken.push_back(place); }
    void giveBack() { m_taken.pop_back(); }

    /// Ours, but theirs in the places taken.
    [[nodiscard]] Plan plan()
    {
        Plan out;
        std::vector<std::size_t> left = m_taken;
        for (std::size_t i = 0; i < m_ours; ++i) {
            const Stretch& s = m_stretches[i];
            if (m_shared[i] || std::ranges::find(m_taken, root(i)) == m_taken.end()) {
                out.entries.insert(out.entries.end(), s.entries.begin(), s.entries.end());
            } else if (std::erase(left, root(i)) > 0) {
                for (std::size_t j = m_ours; j < m_stretches.size(); ++j)
                    if (root(j) == root(i))
                        out.entries.insert(out.entries.end(), m_stretches[j].entries.begin(),
                                           m_stretches[j].entries.end());
            }
        }
        return out;
    }

private:
    std::size_t root(std::size_t i)
    {
        while (m_place[i] != i)
            i = m_place[i] = m_place[m_place[i]];
        return i;
    }

    std::vector<Stretch> m_stretches; ///< ours, then those that only they have
    std::size_t m_ours;
    std::vector<bool> m_shared;       ///< they have it, too
    std::vector<std::size_t> m_place; ///< one of each place stands for it
    std::vector<std::size_t> m_taken;
};

} // namespace

bool Annealer::recombine(const Plan& other)
{
    const Plan ours = m_best;
    Places places(m_pool, ours.entries, other.entries);
    if (!places.differ())
        return false;
    bool improved = false;
    for (const auto& gain : places.gains()) {
        places.take(gain.place);
        Plan plan = places.plan();
        if (m_settler.settle(plan, m_best.total) && plan.total < m_best.total * (1 - 1e-12)) {
            m_best = std::move(plan);
            improved = true;
        } else {
            places.giveBack();
        }
    }
    if (other.total < m_best.total * (1 - 1e-12)) {
        m_best = other;
        improved = true;
    }
    return improved;
}

} // namespace tilewright
