// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/search/recombine.h"

#include <numeric>
#include <span>

namespace tilewright {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Consecutive entries that are linked by retained tensors.
struct TiedEntries
{
    std::span<const CostedSet> entries;
    double latency = 0;
};

std::vector<TiedEntries> tiedEntries(const std::vector<CostedSet>& entries)
{
    std::vector<TiedEntries> out;
    for (std::size_t begin = 0, i = 0; i < entries.size(); ++i) {
        if (i > begin && entries[i - 1].retain == 0)
            begin = i;
        if (i == begin)
            out.emplace_back();
        out.back().entries = std::span(entries).subspan(begin, i + 1 - begin);
        out.back().latency += entries[i].latency;
    }
    return out;
}

bool isSame(const TiedEntries& a, const TiedEntries& b)
{
    return std::ranges::equal(a.entries, b.entries, [](const CostedSet& p, const CostedSet& q) {
        return p.set == q.set && p.retain == q.retain;
    });
}

/// The differences between two plans, `ours` and `other`, split into independent regions: pieces that run a
/// common op are in one region. Both plans are equal outside the regions, so each region can be copied from
/// either plan by itself, unless its tensors are read elsewhere.
class PlanDifferences
{
public:
    PlanDifferences(const SubgraphPool& pool, const std::vector<CostedSet>& ours,
                    const std::vector<CostedSet>& other)
        : m_pieces(tiedEntries(ours)), m_ours(m_pieces.size())
    {
        const std::size_t ops = pool.problem().opCount();
        const auto firstOp = [&](const TiedEntries& s) {
            return pool.set(s.entries.front().set).ops.front().index();
        };
        std::vector<std::size_t> byOp(ops, kNone);
        for (std::size_t i = 0; i < m_ours; ++i)
            byOp[firstOp(m_pieces[i])] = i;
        m_shared.resize(m_ours);
        for (const TiedEntries& s : tiedEntries(other)) {
            const std::size_t i = byOp[firstOp(s)];
            if (i != kNone && !m_shared[i] && isSame(m_pieces[i], s))
                m_shared[i] = true;
            else
                m_pieces.push_back(s);
        }
        m_shared.resize(m_pieces.size());
        m_regionParent.resize(m_pieces.size());
        std::iota(m_regionParent.begin(), m_regionParent.end(), std::size_t{0});
        byOp.assign(ops, kNone);
        for (std::size_t i = 0; i < m_pieces.size(); ++i) {
            if (m_shared[i])
                continue;
            for (const CostedSet& e : m_pieces[i].entries)
                for (const OpId o : pool.set(e.set).ops) {
                    std::size_t& first = byOp[o.index()];
                    if (first == kNone)
                        first = i;
                    else
                        m_regionParent[root(i)] = root(first);
                }
        }
    }
    [[nodiscard]] bool differ() const { return m_pieces.size() > m_ours; }

    /// Returns the regions in which the other plan is faster, by descending gain.
    [[nodiscard]] std::vector<std::size_t> gains()
    {
        std::vector<double> gain(m_pieces.size());
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < gain.size(); ++i)
            if (!m_shared[i])
                gain[root(i)] += i < m_ours ? m_pieces[i].latency : -m_pieces[i].latency;
        for (std::size_t i = 0; i < gain.size(); ++i)
            if (gain[i] > 0)
                out.push_back(i);
        std::ranges::stable_sort(out, std::ranges::greater(), [&](std::size_t i) { return gain[i]; });
        return out;
    }

    void choose(std::size_t region) { m_chosen.push_back(region); }
    void revertLast() { m_chosen.pop_back(); }

    /// Returns our plan, with the pieces of the other plan in the chosen regions.
    [[nodiscard]] Plan plan()
    {
        Plan out;
        std::vector<std::size_t> left = m_chosen;
        for (std::size_t i = 0; i < m_ours; ++i) {
            const TiedEntries& s = m_pieces[i];
            if (m_shared[i] || std::ranges::find(m_chosen, root(i)) == m_chosen.end()) {
                out.entries.insert(out.entries.end(), s.entries.begin(), s.entries.end());
            } else if (std::erase(left, root(i)) > 0) {
                for (std::size_t j = m_ours; j < m_pieces.size(); ++j)
                    if (root(j) == root(i))
                        out.entries.insert(out.entries.end(), m_pieces[j].entries.begin(),
                                           m_pieces[j].entries.end());
            }
        }
        return out;
    }

private:
    std::size_t root(std::size_t i)
    {
        while (m_regionParent[i] != i)
            i = m_regionParent[i] = m_regionParent[m_regionParent[i]];
        return i;
    }

    std::vector<TiedEntries> m_pieces; ///< pieces of the plan `ours`, then those that only the other plan has
    std::size_t m_ours;
    std::vector<bool> m_shared; ///< for each piece, true if both plans have it
    /// For each piece, its parent in the union-find structure of regions.
    std::vector<std::size_t> m_regionParent;
    std::vector<std::size_t> m_chosen;
};

} // namespace

bool recombine(SubgraphPool& pool, PlanRepair& repair, Plan& best, const Plan& other)
{
    const Plan ours = best;
    PlanDifferences regions(pool, ours.entries, other.entries);
    if (!regions.differ())
        return false;
    bool improved = false;
    const auto keepBetter = [&](const Plan& plan) {
        if (!(plan.total < best.total * (1 - 1e-12)))
            return false;
        best = plan;
        return improved = true;
    };
    for (const std::size_t region : regions.gains()) {
        regions.choose(region);
        Plan plan = regions.plan();
        if (!repair.makeValid(plan, best.total) || !keepBetter(plan))
            regions.revertLast();
    }
    (void)keepBetter(other);
    return improved;
}

} // namespace tilewright
