// SPDX-License-Identifier: GPL-3.0-or-later
// The larger neighbourhoods of the annealer: recombination of two plans, and exact replanning of a few
// subgraphs.
#include "solve/proof/exact.h"
#include "solve/search/annealer.h"

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

/// The differences between two plans, `ours` and `other`, split into independent regions. Both plans consist
/// of pieces (TiedEntries); differing pieces that run a common op are in one region. Both plans are equal
/// outside the regions, so each region can be copied from either plan by itself, unless its tensors are read
/// elsewhere.
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

    /// Returns the plan `ours` with the chosen regions replaced by those of the other plan.
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

namespace {

/// Reorders the entries so that the group is contiguous: entries whose results the group needs come before
/// it, all others behind it. Returns the position of the first entry of the group, or nothing if an entry
/// outside the group both needs the group and is needed by it.
std::optional<std::size_t> makeContiguous(const SubgraphPool& pool, std::vector<CostedSet>& entries,
                                          const std::vector<std::uint32_t>& group)
{
    const auto n = static_cast<std::uint32_t>(entries.size());
    std::vector<char> inGroup(n);
    std::vector<char> before(n);
    for (const std::uint32_t e : group)
        inGroup[e] = 1;
    // Producers precede their readers in a valid order, so one backward pass finds all entries that the group
    // needs.
    std::vector<std::int32_t> provider(pool.problem().tensorCount(), -1);
    std::vector<std::vector<std::uint32_t>> needs(n);
    for (std::uint32_t e = 0; e < n; ++e) {
        const CostedSet& entry = entries[e];
        if (std::ranges::any_of(pool.set(entry.set).inputs,
                                [&](TensorId t) { return isIn(t, pool.retain(entry.resident)); }))
            needs[e].push_back(e - 1);
        (void)allReads(pool, entry, [&](TensorId t) {
            if (provider[t.index()] >= 0)
                needs[e].push_back(static_cast<std::uint32_t>(provider[t.index()]));
            return true;
        });
        forEachStored(pool, entry, [&](TensorId t) {
            if (provider[t.index()] < 0)
                provider[t.index()] = static_cast<std::int32_t>(e);
        });
    }
    for (std::uint32_t e = n; e-- > 0;) {
        if (inGroup[e] == 0 && before[e] == 0)
            continue;
        for (const std::uint32_t p : needs[e]) {
            if (inGroup[p] == 0)
                before[p] = 1;
            else if (inGroup[e] == 0)
                return std::nullopt;
        }
    }
    // Entries that precede the group and do not depend on it keep their position before it.
    std::fill_n(before.begin(), group.front(), 1);
    std::vector<CostedSet> ordered;
    for (std::uint32_t e = 0; e < n; ++e)
        if (before[e] != 0)
            ordered.push_back(entries[e]);
    const std::size_t at = ordered.size();
    for (const std::uint32_t e : group)
        ordered.push_back(entries[e]);
    for (std::uint32_t e = 0; e < n; ++e)
        if (before[e] == 0 && inGroup[e] == 0)
            ordered.push_back(entries[e]);
    entries = std::move(ordered);
    return at;
}

/// The exact search problem for the entries from `at` up to `end` of a valid plan.
ExactWindow windowOf(const SubgraphPool& pool, const std::vector<CostedSet>& entries, std::size_t at,
                     std::size_t end)
{
    const Problem& problem = pool.problem();
    ExactWindow out;
    out.slowBefore.assign(problem.tensorCount(), 0);
    for (std::size_t i = 0; i < at; ++i)
        forEachStored(pool, entries[i], [&](TensorId t) { out.slowBefore[t.index()] = 1; });
    std::vector<char> neededLater(problem.tensorCount());
    for (std::size_t i = end; i < entries.size(); ++i)
        (void)allReads(pool, entries[i], [&](TensorId t) { return neededLater[t.index()] = 1; });
    for (std::size_t i = at; i < end; ++i) {
        out.ops = united(out.ops, pool.set(entries[i].set).ops);
        forEachStored(pool, entries[i], [&](TensorId t) {
            if (out.slowBefore[t.index()] == 0 && (neededLater[t.index()] != 0 || problem.isGraphOutput(t)))
                out.required.push_back(t);
        });
    }
    out.residentBefore = entries[at].resident;
    out.residentAfter = entries[end - 1].retain;
    return out;
}

/// Returns a random group of neighbouring entries with at most `maxOps` ops. Neighbours touch a common tensor
/// or are adjacent in the order.
std::vector<std::uint32_t> randomGroup(const SubgraphPool& pool, const PlanIndex& index,
                                       const std::vector<CostedSet>& entries, std::size_t maxOps,
                                       RandomGenerator& random)
{
    const Problem& problem = pool.problem();
    const auto n = static_cast<std::uint32_t>(entries.size());
    std::vector<std::uint32_t> group;
    std::size_t ops = 0;
    const auto add = [&](std::uint32_t e) {
        const OpSet& set = pool.set(entries[e].set);
        if (set.lock >= 0 || ops + set.ops.size() > maxOps || isIn(e, group))
            return;
        group.push_back(e);
        ops += set.ops.size();
    };
    add(random.below(n));
    for (int tries = 0; tries < 16 && !group.empty() && ops < maxOps; ++tries) {
        const std::uint32_t from = random.pick(group);
        const std::uint32_t dice = random.below(4);
        if (dice == 0 && from + 1 < n) {
            add(from + 1);
            continue;
        }
        if (dice == 1 && from > 0) {
            add(from - 1);
            continue;
        }
        const TensorId t = randomTensorOf(problem.op(random.pick(pool.set(entries[from].set).ops)), random);
        const auto consumers = problem.consumers(t);
        const std::uint32_t other = random.below(consumers.size() + 1);
        auto neighbour = other < consumers.size() ? std::optional(consumers[other]) : problem.producer(t);
        if (!neighbour && problem.isView(t)) // the op that produces a base tensor of the view
            neighbour = problem.producer(random.pick(problem.bases(t)));
        if (neighbour && !index[neighbour->index()].empty())
            add(random.pick(index[neighbour->index()]));
    }
    std::ranges::sort(group);
    return group;
}

} // namespace

std::optional<Plan> replanExactly(SubgraphPool& pool, PlanRepair& repair, const PlanIndex& index,
                                  const Plan& current, std::size_t maxOps, RandomGenerator& random,
                                  const std::function<bool()>& keepGoing)
{
    const std::vector<std::uint32_t> group = randomGroup(pool, index, current.entries, maxOps, random);
    if (group.size() < 2)
        return std::nullopt;
    Plan plan = current;
    const std::optional<std::size_t> at = makeContiguous(pool, plan.entries, group);
    if (!at || !repair.makeValid(plan) || plan.entries.size() != current.entries.size())
        return std::nullopt;
    const std::size_t end = *at + group.size();
    double spent = 0;
    for (std::size_t i = *at; i < end; ++i) {
        if (plan.entries[i].set != current.entries[group[i - *at]].set)
            // PlanRepair has changed the group, so the group cannot be replanned
            return std::nullopt;
        spent += plan.entries[i].latency;
    }
    ExactWindow window = windowOf(pool, plan.entries, *at, end);
    // With probability 1/3, the op that produces an input of the group may be recomputed inside the group.
    if (window.ops.size() < maxOps && random.below(3) == 0) {
        const OpSet& set = pool.set(current.entries[random.pick(group)].set);
        if (!set.inputs.empty())
            window.ops = united(window.ops, {*pool.problem().producer(random.pick(set.inputs))});
    }
    std::ranges::sort(window.ops, {}, [&](OpId o) { return pool.rank(o); });
    ExactLimits limits;
    limits.upperBound = spent - std::max(0.0, plan.total - current.total);
    limits.maxNodes = 3000;
    limits.maxRetained = 3;
    limits.keepGoing = keepGoing;
    if (!(limits.upperBound > 0))
        return std::nullopt;
    const ExactResult exact = solveExactly(pool, pool.rules(), window, TilingEffort::Quick, limits);
    if (!exact.entries)
        return std::nullopt;
    const auto first = plan.entries.begin() + static_cast<std::ptrdiff_t>(*at);
    const auto after = plan.entries.erase(first, first + static_cast<std::ptrdiff_t>(group.size()));
    plan.entries.insert(after, exact.entries->begin(), exact.entries->end());
    if (!repair.makeValid(plan) || !(plan.total < current.total * (1 - 1e-12)))
        return std::nullopt;
    return plan;
}

} // namespace tilewright
