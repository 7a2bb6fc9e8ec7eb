// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/diff.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace tilewright {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::vector<OpId> sortedOps(const Subgraph& s)
{
    std::vector<OpId> ops = s.ops;
    std::ranges::sort(ops);
    return ops;
}

/// Indices of a longest increasing subsequence.
std::vector<std::size_t> longestIncreasing(const std::vector<std::size_t>& values)
{
    // Per length: index of the smallest last value of an increasing subsequence of this length.
    std::vector<std::size_t> tails;
    std::vector<std::size_t> previous(values.size(), kNone);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at =
            std::ranges::lower_bound(tails, values[i], {}, [&](std::size_t t) { return values[t]; });
        previous[i] = at == tails.begin() ? kNone : *(at - 1);
        if (at == tails.end())
            tails.push_back(i);
        else
            *at = i;
    }
    std::vector<std::size_t> out;
    for (std::size_t i = tails.empty() ? kNone : tails.back(); i != kNone; i = previous[i])
        out.push_back(i);
    std::ranges::reverse(out);
    return out;
}

/// Subgraphs of the two schedules that differ and share ops, directly or through other subgraphs. They are
/// replaced in one step.
struct Cluster
{
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
};

class Differ
{
public:
    Differ(const Problem& problem, const Schedule& a, const Schedule& b, const DifferenceVisitor& visit)
        : m_problem(problem), m_a(a), m_b(b), m_visit(visit), m_partnerOfA(a.size(), kNone),
          m_partnerOfB(b.size(), kNone), m_keys(b.size(), 0), m_moves(b.size(), false),
          m_copies(problem.opCount(), 0)
    {
    }

    void run()
    {
        match();
        findClusters();
        assignSortKeys();
        m_current.resize(m_a.size());
        for (std::size_t i = 0; i < m_a.size(); ++i)
            m_current[i] = {m_a.subgraphs[i], static_cast<double>(i), i, m_partnerOfA[i]};
        for (const Cluster& cluster : m_clusters)
            replace(cluster);
        for (std::size_t j = 0; j < m_b.size(); ++j)
            granularity(j);
        for (std::size_t j = 0; j < m_b.size(); ++j)
            traversal(j);
        for (std::size_t j = 0; j < m_b.size(); ++j)
            place(j);
        for (std::size_t j = 0; j < m_b.size(); ++j)
            retain(j);
        if (m_pending)
            m_visit(*m_pending, m_b);
    }

private:
    /// A subgraph of an intermediate schedule between a and b.
    struct Item
    {
        SubgraphPtr subgraph;
        double key = 0; ///< sort key: position in the intermediate schedule
        std::size_t before = kNone;
        std::size_t after = kNone;
    };

    void match()
    {
        // Subgraphs of `a` by their ops; for equal ops, the last one is first.
        std::map<std::vector<OpId>, std::vector<std::size_t>> byOps;
        for (std::size_t i = m_a.size(); i-- > 0;)
            byOps[sortedOps(*m_a.subgraphs[i])].push_back(i);
        for (std::size_t j = 0; j < m_b.size(); ++j) {
            const auto it = byOps.find(sortedOps(*m_b.subgraphs[j]));
            if (it == byOps.end() || it->second.empty())
                continue;
            m_partnerOfB[j] = it->second.back();
            m_partnerOfA[it->second.back()] = j;
            it->second.pop_back();
        }
        for (const SubgraphPtr& s : m_b.subgraphs)
            for (const OpId o : s->ops)
                ++m_copies[o];
        for (const SubgraphPtr& s : m_a.subgraphs)
            for (const OpId o : s->ops)
                --m_copies[o];
    }

    void findClusters()
    {
        // Union-find over the unmatched subgraphs: first those of `a`, then those of `b`.
        const std::size_t n = m_a.size() + m_b.size();
        std::vector<std::size_t> parent(n);
        std::iota(parent.begin(), parent.end(), std::size_t{0});
        const auto root = [&](std::size_t i) {
            while (parent[i] != i)
                i = parent[i] = parent[parent[i]];
            return i;
        };
        IdVector<OpId, std::size_t> owner(m_problem.opCount(), kNone);
        const auto join = [&](const Subgraph& s, std::size_t i) {
            for (const OpId o : s.ops) {
                if (owner[o] == kNone)
                    owner[o] = i;
                const std::size_t x = root(owner[o]);
                const std::size_t y = root(i);
                parent[std::max(x, y)] = std::min(x, y);
            }
        };
        for (std::size_t i = 0; i < m_a.size(); ++i)
            if (m_partnerOfA[i] == kNone)
                join(*m_a.subgraphs[i], i);
        for (std::size_t j = 0; j < m_b.size(); ++j)
            if (m_partnerOfB[j] == kNone)
                join(*m_b.subgraphs[j], m_a.size() + j);
        std::map<std::size_t, Cluster> clusters;
        for (std::size_t i = 0; i < m_a.size(); ++i)
            if (m_partnerOfA[i] == kNone)
                clusters[root(i)].before.push_back(i);
        for (std::size_t j = 0; j < m_b.size(); ++j)
            if (m_partnerOfB[j] == kNone)
                clusters[root(m_a.size() + j)].after.push_back(j);
        for (auto& [key, cluster] : clusters)
            m_clusters.push_back(std::move(cluster));
    }

    /// Assigns sort keys to the subgraphs of b. A matched subgraph that does not move gets its position in a.
    /// An unmatched one is placed between its neighbours in b, near the position of its ops in a.
    void assignSortKeys()
    {
        std::vector<std::size_t> matched;
        std::vector<std::size_t> places;
        for (std::size_t j = 0; j < m_b.size(); ++j)
            if (m_partnerOfB[j] != kNone) {
                matched.push_back(j);
                places.push_back(m_partnerOfB[j]);
            }
        for (const std::size_t j : matched) {
            m_keys[j] = static_cast<double>(m_partnerOfB[j]);
            m_moves[j] = true;
        }
        for (const std::size_t k : longestIncreasing(places))
            m_moves[matched[k]] = false;

        std::vector<double> high(m_b.size() + 1, static_cast<double>(m_a.size()));
        for (std::size_t j = m_b.size(); j-- > 0;)
            high[j] = m_partnerOfB[j] != kNone && !m_moves[j] ? m_keys[j] : high[j + 1];
        double last = -1;
        for (std::size_t j = 0; j < m_b.size(); ++j) {
            if (m_partnerOfB[j] != kNone) {
                if (!m_moves[j])
                    last = m_keys[j];
                continue;
            }
            constexpr double kTiny = 1e-7;
            m_keys[j] = std::max(last + kTiny, std::min(positionInA(*m_b.subgraphs[j]), high[j] - 0.5));
            last = m_keys[j];
        }
    }

    [[nodiscard]] double positionInA(const Subgraph& s) const
    {
        for (std::size_t i = 0; i < m_a.size(); ++i)
            if (m_partnerOfA[i] == kNone && std::ranges::any_of(s.ops, [&](OpId o) {
                    return std::ranges::count(m_a.subgraphs[i]->ops, o) > 0;
                }))
                return static_cast<double>(i);
        return static_cast<double>(m_a.size());
    }

    void push(Difference difference)
    {
        // Each difference is reported one step late, so that the last one can be reported with b itself.
        if (m_pending)
            m_visit(*m_pending, m_applied);
        m_pending = std::move(difference);
        std::ranges::stable_sort(m_current, {}, &Item::key);
        m_applied.subgraphs.clear();
        for (const Item& item : m_current)
            m_applied.subgraphs.push_back(item.subgraph);
    }

    [[nodiscard]] std::string opsText(const Schedule& s, const std::vector<std::size_t>& subgraphs) const
    {
        std::string out;
        for (const std::size_t i : subgraphs) {
            out += out.empty() ? "" : " | ";
            const auto& ops = s.subgraphs[i]->ops;
            for (std::size_t k = 0; k < ops.size(); ++k)
                out += (k > 0 ? ", " : "") + m_problem.opName(ops[k]);
        }
        return out.empty() ? "-" : out;
    }

    static std::vector<SubgraphId> ids(const std::vector<std::size_t>& list)
    {
        return {list.begin(), list.end()};
    }

    /// Text ", retains NAME" for tensors that no subgraph of the cluster retained before; else empty.
    [[nodiscard]] std::string newlyRetained(const Cluster& cluster) const
    {
        std::string out;
        for (const std::size_t j : cluster.after)
            for (const TensorId t : m_b.subgraphs[j]->retain) {
                const bool known = std::ranges::any_of(cluster.before, [&](std::size_t i) {
                    return std::ranges::count(m_a.subgraphs[i]->retain, t) > 0;
                });
                if (!known)
                    out += (out.empty() ? ", retains " : ", ") + m_problem.tensorName(t);
            }
        return out;
    }

    void replace(const Cluster& cluster)
    {
        Difference d;
        d.before = ids(cluster.before);
        d.after = ids(cluster.after);
        d.textBefore = opsText(m_a, cluster.before);
        d.textAfter = opsText(m_b, cluster.after) + newlyRetained(cluster);
        if (cluster.before.size() > 1 && cluster.after.size() == 1)
            d.kind = DifferenceKind::Fused;
        else if (cluster.before.size() == 1 && cluster.after.size() > 1)
            d.kind = DifferenceKind::Split;
        else
            collectChangedOps(cluster, d);
        if (d.ops.empty()) {
            for (const std::size_t i : cluster.before)
                d.ops.insert(d.ops.end(), m_a.subgraphs[i]->ops.begin(), m_a.subgraphs[i]->ops.end());
            std::ranges::sort(d.ops);
            d.ops.erase(std::unique(d.ops.begin(), d.ops.end()), d.ops.end());
        }
        std::erase_if(m_current, [&](const Item& item) {
            return std::ranges::count(cluster.before, item.before) > 0 && item.before != kNone;
        });
        for (const std::size_t j : cluster.after)
            m_current.push_back({m_b.subgraphs[j], m_keys[j], kNone, j});
        push(std::move(d));
    }

    /// Adds the ops that left or joined a subgraph. Each subgraph of b is paired with the one of a with which
    /// it shares most ops.
    void collectChangedOps(const Cluster& cluster, Difference& d)
    {
        std::vector<std::size_t> open = cluster.before;
        for (const std::size_t j : cluster.after) {
            std::vector<OpId> old;
            const auto common = [&](std::size_t i) {
                return std::ranges::count_if(m_b.subgraphs[j]->ops, [&](OpId o) {
                    return std::ranges::count(m_a.subgraphs[i]->ops, o) > 0;
                });
            };
            const auto best = std::ranges::max_element(open, {}, common);
            if (best != open.end() && common(*best) > 0) {
                old = m_a.subgraphs[*best]->ops;
                open.erase(best);
            }
            for (const OpId o : m_b.subgraphs[j]->ops)
                if (std::ranges::count(old, o) == 0)
                    d.ops.push_back(o);
            for (const OpId o : old)
                if (std::ranges::count(m_b.subgraphs[j]->ops, o) == 0)
                    d.ops.push_back(o);
        }
        for (const std::size_t i : open)
            d.ops.insert(d.ops.end(), m_a.subgraphs[i]->ops.begin(), m_a.subgraphs[i]->ops.end());
        std::ranges::sort(d.ops);
        d.ops.erase(std::unique(d.ops.begin(), d.ops.end()), d.ops.end());
        d.kind = std::ranges::all_of(d.ops, [&](OpId o) { return m_copies[o] != 0; })
                     ? DifferenceKind::Recompute
                     : DifferenceKind::Moved;
    }

    /// Returns the item that becomes subgraph j of b, or null if j is unmatched.
    Item* matchedItem(std::size_t j)
    {
        const std::size_t i = m_partnerOfB[j];
        if (i == kNone)
            return nullptr;
        return &*std::ranges::find(m_current, i, &Item::before);
    }

    template <typename Change>
    void change(std::size_t j, DifferenceKind kind, std::string before, std::string after,
                const Change& apply, std::vector<TensorId> tensors = {})
    {
        Item& item = *matchedItem(j);
        Subgraph s = *item.subgraph;
        apply(s);
        s.reportedLatency.reset();
        item.subgraph = std::make_shared<const Subgraph>(std::move(s));
        push({kind,
              {SubgraphId(m_partnerOfB[j])},
              {SubgraphId(j)},
              m_b.subgraphs[j]->ops,
              std::move(tensors),
              std::move(before),
              std::move(after)});
    }

    static std::string sizeText(const Subgraph& s)
    {
        const Granularity& g = s.granularity;
        return std::to_string(g.w) + " x " + std::to_string(g.h) + " x " + std::to_string(g.k);
    }

    void granularity(std::size_t j)
    {
        const Item* item = matchedItem(j);
        if (!item || item->subgraph->granularity == m_b.subgraphs[j]->granularity)
            return;
        const Subgraph& from = *item->subgraph;
        const Subgraph& to = *m_b.subgraphs[j];
        // A custom order is valid for one grid only, so a new granularity changes the traversal too.
        const bool both = from.traversal != to.traversal && (from.traversal.kind() == TraversalKind::Custom ||
                                                             to.traversal.kind() == TraversalKind::Custom);
        const auto text = [&](const Subgraph& s) {
            return sizeText(s) + (both ? ", " + std::string(traversalName(s.traversal.kind())) : "");
        };
        change(j, DifferenceKind::Granularity, text(from), text(to), [&](Subgraph& s) {
            s.granularity = to.granularity;
            if (both)
                s.traversal = to.traversal;
        });
    }

    void traversal(std::size_t j)
    {
        const Item* item = matchedItem(j);
        const Subgraph& to = *m_b.subgraphs[j];
        if (item && item->subgraph->traversal != to.traversal)
            change(j, DifferenceKind::Traversal, std::string(traversalName(item->subgraph->traversal.kind())),
                   std::string(traversalName(to.traversal.kind())),
                   [&](Subgraph& s) { s.traversal = to.traversal; });
    }

    void place(std::size_t j)
    {
        if (!m_moves[j])
            return;
        // The new key is just above that of the predecessor in b, which is already at its final position.
        const std::size_t i = m_partnerOfB[j];
        std::ranges::stable_sort(m_current, {}, &Item::key);
        const auto at = std::ranges::find(m_current, i, &Item::before);
        const Item item = *at;
        m_current.erase(at);
        auto target = m_current.begin();
        if (j > 0)
            target = std::ranges::find(m_current, j - 1, &Item::after) + 1;
        m_current.insert(target, item);
        for (std::size_t k = 0; k < m_current.size(); ++k)
            m_current[k].key = static_cast<double>(k);
        push({DifferenceKind::Order,
              {SubgraphId(i)},
              {SubgraphId(j)},
              m_b.subgraphs[j]->ops,
              {},
              "position " + std::to_string(i),
              "position " + std::to_string(j)});
    }

    void retain(std::size_t j)
    {
        const Item* item = matchedItem(j);
        if (!item)
            return;
        std::vector<TensorId> from = item->subgraph->retain;
        std::vector<TensorId> to = m_b.subgraphs[j]->retain;
        std::ranges::sort(from);
        std::ranges::sort(to);
        if (from == to)
            return;
        std::vector<TensorId> changed;
        std::ranges::set_symmetric_difference(from, to, std::back_inserter(changed));
        const auto text = [&](const std::vector<TensorId>& list) {
            std::string out = list.empty() ? "retains nothing" : "retains ";
            for (std::size_t k = 0; k < list.size(); ++k)
                out += (k > 0 ? ", " : "") + m_problem.tensorName(list[k]);
            return out;
        };
        change(
            j, DifferenceKind::Retain, text(from), text(to),
            [&](Subgraph& s) { s.retain = m_b.subgraphs[j]->retain; }, changed);
    }

    const Problem& m_problem;
    const Schedule& m_a;
    const Schedule& m_b;
    const DifferenceVisitor& m_visit;
    std::vector<std::size_t> m_partnerOfA;
    std::vector<std::size_t> m_partnerOfB;
    std::vector<double> m_keys;   ///< sort key of each subgraph of b
    std::vector<bool> m_moves;    ///< by subgraph of b: true if it is matched and changes its position
    IdVector<OpId, int> m_copies; ///< by op: number of computations in b minus that in a
    std::vector<Cluster> m_clusters;
    std::vector<Item> m_current;
    std::optional<Difference> m_pending;
    Schedule m_applied; ///< intermediate schedule after the pending difference
};

} // namespace

std::string_view differenceName(DifferenceKind kind)
{
    switch (kind) {
    case DifferenceKind::Fused:
        return "fused";
    case DifferenceKind::Split:
        return "split";
    case DifferenceKind::Moved:
        return "moved";
    case DifferenceKind::Recompute:
        return "recompute";
    case DifferenceKind::Granularity:
        return "granularity";
    case DifferenceKind::Traversal:
        return "traversal";
    case DifferenceKind::Order:
        return "order";
    case DifferenceKind::Retain:
        return "retain";
    }
    return "";
}

void walkDifferences(const Problem& problem, const Schedule& a, const Schedule& b,
                     const DifferenceVisitor& visit)
{
    Differ(problem, a, b, visit).run();
}

std::vector<Difference> diff(const Problem& problem, const Schedule& a, const Schedule& b)
{
    std::vector<Difference> out;
    walkDifferences(problem, a, b, [&](const Difference& d, const Schedule&) { out.push_back(d); });
    return out;
}

} // namespace tilewright
