// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layer_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewright::layered {

namespace {

class Random // splitmix64: equal sequences on all platforms
{
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    double unit()
    {
        m_state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
    }

private:
    std::uint64_t m_state;
};

struct Weighted
{
    int at = 0;
    int weight = 1;
};

/// Weighted number of crossings between the links of two vertices, if `a` is left of `b`. Both lists are
/// sorted in ascending order.
std::int64_t crossings(std::span<const Weighted> a, std::span<const Weighted> b)
{
    std::int64_t sum = 0, passed = 0;
    std::size_t j = 0;
    for (const Weighted& link : a) {
        for (; j < b.size() && b[j].at < link.at; ++j)
            passed += b[j].weight;
        sum += passed * link.weight;
    }
    return sum;
}

class Minimiser
{
public:
    Minimiser(const LayerGraph& g, const LayoutOptions& options, const Progress& progress)
        : m_g(g), m_options(options), m_progress(progress), m_position(g.layer.size()), m_key(g.layer.size()),
          m_block(g.layer.size()), m_sum(static_cast<std::size_t>(g.groupCount)),
          m_count(static_cast<std::size_t>(g.groupCount)), m_first(static_cast<std::size_t>(g.groupCount)),
          m_fenwick(g.layer.size() + 1)
    {
    }

    std::optional<Order> fromScratch();
    std::optional<Order> fromHints(std::span<const double> hints);

private:
    Order initial(bool backwards) const;
    void setPositions(const Order& order);
    void sortLayer(std::vector<int>& layer);
    bool alignLayer(std::vector<int>& layer, bool byUpper);
    bool transposeLayer(std::vector<int>& layer);
    void improve(Order& order, std::int64_t& best, Order& bestOrder, int patience);

    const LayerGraph& m_g;
    const LayoutOptions& m_options;
    const Progress& m_progress;
    std::vector<int> m_position;
    std::vector<double> m_key;
    std::vector<double> m_block;
    std::vector<double> m_sum; // per group
    std::vector<int> m_count;
    std::vector<int> m_first;
    std::vector<std::int64_t> m_fenwick;
};

/// Initial order by depth-first search, so that connected vertices are near each other.
Order Minimiser::initial(bool backwards) const
{
    Order order(static_cast<std::size_t>(m_g.layerCount));
    const int n = m_g.vertexCount();
    std::vector<char> seen(static_cast<std::size_t>(n), 0);
    std::vector<int> stack;
    const auto from = [&](int root) {
        stack.push_back(root);
        while (!stack.empty()) {
            const int v = stack.back();
            stack.pop_back();
            if (seen[v])
                continue;
            seen[v] = 1;
            order[m_g.layer[v]].push_back(v);
            const auto push = [&](std::span<const Link> links) {
                for (auto it = links.rbegin(); it != links.rend(); ++it)
                    if (!seen[it->to])
                        stack.push_back(it->to);
            };
            push(backwards ? m_g.down[v] : m_g.up[v]);
            push(backwards ? m_g.up[v] : m_g.down[v]);
        }
    };
    for (int i = 0; i < n; ++i)
        from(backwards ? n - 1 - i : i);
    return order;
}

void Minimiser::setPositions(const Order& order)
{
    for (const auto& layer : order)
        for (std::size_t i = 0; i < layer.size(); ++i)
            m_position[layer[i]] = static_cast<int>(i);
}

/// Sorts a layer by m_key. The vertices of a group stay adjacent; the group is sorted by their mean key.
void Minimiser::sortLayer(std::vector<int>& layer)
{
    for (int v : layer)
        if (const int group = m_g.group[v]; group >= 0) {
            m_sum[group] = 0;
            m_count[group] = 0;
        }
    for (int v : layer)
        if (const int group = m_g.group[v]; group >= 0) {
            if (m_count[group]++ == 0)
                m_first[group] = m_position[v];
            m_sum[group] += m_key[v];
            m_first[group] = std::min(m_first[group], m_position[v]);
        }
    for (int v : layer) {
        const int group = m_g.group[v];
        m_block[v] = group < 0 ? m_key[v] : m_sum[group] / m_count[group];
    }
    const auto rank = [&](int v) { return m_g.group[v] < 0 ? m_position[v] : m_first[m_g.group[v]]; };
    std::sort(layer.begin(), layer.end(), [&](int a, int b) {
        if (m_block[a] != m_block[b])
            return m_block[a] < m_block[b];
        if (rank(a) != rank(b))
            return rank(a) < rank(b);
        if (m_key[a] != m_key[b])
            return m_key[a] < m_key[b];
        return m_position[a] < m_position[b];
    });
    for (std::size_t i = 0; i < layer.size(); ++i)
        m_position[layer[i]] = static_cast<int>(i);
}

/// One barycentre step for a layer. Returns true if the order changed.
bool Minimiser::alignLayer(std::vector<int>& layer, bool byUpper)
{
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    bool any = false;
    for (int v : layer) {
        double sum = 0;
        int weight = 0;
        for (const Link& link : byUpper ? m_g.up[v] : m_g.down[v]) {
            sum += static_cast<double>(link.weight) * m_position[link.to];
            weight += link.weight;
        }
        m_key[v] = weight > 0 ? sum / weight : unknown;
        any = any || weight > 0;
    }
    if (!any)
        return false;
    // A vertex without neighbours in the other layer stays between its current neighbours in the layer.
    for (std::size_t i = 0; i < layer.size(); ++i) {
        if (!std::isnan(m_key[layer[i]]))
            continue;
        double left = unknown, right = unknown;
        if (i > 0)
            left = m_key[layer[i - 1]];
        for (std::size_t j = i + 1; j < layer.size() && std::isnan(right); ++j)
            right = m_key[layer[j]];
        m_key[layer[i]] = std::isnan(left) ? right : std::isnan(right) ? left : (left + right) / 2;
    }
    const std::vector<int> before = layer;
    sortLayer(layer);
    return layer != before;
}

/// Swaps adjacent vertices inside groups, and adjacent groups, as long as this reduces crossings.
bool Minimiser::transposeLayer(std::vector<int>& layer)
{
    struct Group
    {
        int first = 0; // index into m_upper / m_lower
        int upper = 0, lower = 0, firstLower = 0;
        int begin = 0, count = 0; // range of vertices in `layer`
    };
    static constexpr int kMaxPasses = 4;
    std::vector<Weighted> upper, lower;
    const auto byPosition = [](const Weighted& a, const Weighted& b) { return a.at < b.at; };
    const auto runOf = [&](int begin, int count) {
        Group run;
        run.first = static_cast<int>(upper.size());
        run.firstLower = static_cast<int>(lower.size());
        run.begin = begin;
        run.count = count;
        for (int i = begin; i < begin + count; ++i) {
            for (const Link& link : m_g.up[layer[i]])
                upper.push_back({m_position[link.to], link.weight});
            for (const Link& link : m_g.down[layer[i]])
                lower.push_back({m_position[link.to], link.weight});
        }
        run.upper = static_cast<int>(upper.size()) - run.first;
        run.lower = static_cast<int>(lower.size()) - run.firstLower;
        std::sort(upper.begin() + run.first, upper.end(), byPosition);
        std::sort(lower.begin() + run.firstLower, lower.end(), byPosition);
        return run;
    };
    const auto gain = [&](const Group& a, const Group& b) { // number of crossings saved by moving b before a
        const std::span<const Weighted> ua(upper.data() + a.first, a.upper),
            ub(upper.data() + b.first, b.upper);
        const std::span<const Weighted> la(lower.data() + a.firstLower, a.lower);
        const std::span<const Weighted> lb(lower.data() + b.firstLower, b.lower);
        return crossings(ua, ub) - crossings(ub, ua) + crossings(la, lb) - crossings(lb, la);
    };
    bool changed = false;
    const auto swapWhileBetter = [&](std::vector<Group>& runs) {
        bool any = false;
        for (int pass = 0; pass < kMaxPasses; ++pass) {
            bool swapped = false;
            for (std::size_t i = 0; i + 1 < runs.size(); ++i)
                if (gain(runs[i], runs[i + 1]) > 0) {
                    std::swap(runs[i], runs[i + 1]);
                    swapped = true;
                }
            if (!swapped)
                break;
            any = true;
        }
        if (any) {
            std::vector<int> out;
            for (const Group& run : runs)
                out.insert(out.end(), layer.begin() + run.begin, layer.begin() + run.begin + run.count);
            const int first = std::min_element(runs.begin(), runs.end(), [](const Group& a, const Group& b) {
                                  return a.begin < b.begin;
                              })->begin;
            std::copy(out.begin(), out.end(), layer.begin() + first);
            changed = true;
        }
    };

    const int n = static_cast<int>(layer.size());
    std::vector<Group> runs;
    bool grouped = false;
    for (int i = 0; i < n;) {
        int end = i + 1;
        if (const int group = m_g.group[layer[i]]; group >= 0)
            while (end < n && m_g.group[layer[end]] == group)
                ++end;
        runs.push_back(runOf(i, end - i));
        grouped = grouped || end - i > 1;
        i = end;
    }
    swapWhileBetter(runs);
    if (grouped) {
        for (int i = 0; i < n;) {
            int end = i + 1;
            if (const int group = m_g.group[layer[i]]; group >= 0)
                while (end < n && m_g.group[layer[end]] == group)
                    ++end;
            if (end - i > 1) {
                upper.clear();
                lower.clear();
                runs.clear();
                for (int j = i; j < end; ++j)
                    runs.push_back(runOf(j, 1));
                swapWhileBetter(runs);
            }
            i = end;
        }
    }
    if (changed)
        for (int i = 0; i < n; ++i)
            m_position[layer[i]] = i;
    return changed;
}

void Minimiser::improve(Order& order, std::int64_t& best, Order& bestOrder, int patience)
{
    constexpr int kMaxSweeps = 24;
    int since = 0;
    for (int sweep = 0; sweep < kMaxSweeps && since <= patience; ++sweep) {
        if (m_progress.stopRequested())
            return;
        bool moved = false;
        const int layers = m_g.layerCount;
        if (sweep % 2 == 0) {
            for (int l = 1; l < layers; ++l)
                moved |= alignLayer(order[l], true);
        } else {
            for (int l = layers - 2; l >= 0; --l)
                moved |= alignLayer(order[l], false);
        }
        for (int l = 0; l < layers; ++l)
            moved |= transposeLayer(order[l]);
        const std::int64_t now = countCrossings(m_g, order, true);
        ++since;
        if (now < best) {
            best = now;
            bestOrder = order;
            since = 0;
        }
        if (best == 0 || (!moved && sweep > 0))
            return;
    }
}

std::optional<Order> Minimiser::fromScratch()
{
    const int size = m_g.vertexCount();
    const int starts = m_options.restarts > 0 ? m_options.restarts : size < 1500 ? 12 : size < 6000 ? 6 : 4;
    Order bestOrder;
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    Random random(m_options.seed);
    for (int start = 0; start < starts && best > 0; ++start) {
        m_progress.tell(0.8 * start / starts, "ordering");
        Order order = start < 2 ? initial(start == 1) : bestOrder;
        setPositions(order);
        const bool shuffle = start >= 2 && start % 4 == 3;
        // Makes groups adjacent; from the third start on, also changes the order randomly.
        for (auto& layer : order) {
            const double reach = start < 2 ? 0 : shuffle ? static_cast<double>(layer.size()) : 4;
            for (int v : layer)
                m_key[v] = m_position[v] + reach * random.unit();
            sortLayer(layer);
        }
        if (start == 0) {
            best = countCrossings(m_g, order, true);
            bestOrder = order;
        }
        improve(order, best, bestOrder, size < 2500 ? 4 : 3);
        if (m_progress.stopRequested())
            return std::nullopt;
    }
    return bestOrder;
}

std::optional<Order> Minimiser::fromHints(std::span<const double> hints)
{
    // An unknown position becomes the mean of the known positions of the neighbours. This is repeated, from
    // known to unknown vertices.
    std::vector<double> x(hints.begin(), hints.end());
    const auto fillFromNeighbours = [&](int v) {
        if (!std::isnan(x[v]))
            return;
        double sum = 0;
        int count = 0;
        for (const auto& links : {m_g.up[v], m_g.down[v]})
            for (const Link& link : links)
                if (!std::isnan(x[link.to])) {
                    sum += x[link.to];
                    ++count;
                }
        if (count > 0)
            x[v] = sum / count;
    };
    Order order(static_cast<std::size_t>(m_g.layerCount));
    for (int v = 0; v < m_g.vertexCount(); ++v)
        order[m_g.layer[v]].push_back(v);
    for (int l = 0; l < m_g.layerCount; ++l)
        for (int v : order[l])
            fillFromNeighbours(v);
    for (int l = m_g.layerCount - 1; l >= 0; --l)
        for (int v : order[l])
            fillFromNeighbours(v);
    setPositions(order);
    for (auto& layer : order) {
        for (int v : layer)
            m_key[v] = std::isnan(x[v]) ? 0 : x[v];
        sortLayer(layer);
    }
    // Only neighbours are swapped, and only to remove crossings, so that the user recognises the drawing.
    for (int pass = 0; pass < 4; ++pass) {
        bool moved = false;
        for (auto& layer : order)
            moved |= transposeLayer(layer);
        if (m_progress.stopRequested())
            return std::nullopt;
        if (!moved)
            break;
    }
    return order;
}

} // namespace

std::int64_t countCrossings(const LayerGraph& g, const Order& order, bool weighted)
{
    std::vector<int> position(g.layer.size());
    std::size_t widest = 0;
    for (const auto& layer : order) {
        widest = std::max(widest, layer.size());
        for (std::size_t i = 0; i < layer.size(); ++i)
            position[layer[i]] = static_cast<int>(i);
    }
    // Fenwick tree over the lower layer. For each link it gives the total weight of earlier links that end
    // further to the right.
    std::vector<std::int64_t> tree(widest + 1);
    std::vector<Weighted> ends;
    std::int64_t sum = 0;
    for (std::size_t l = 0; l + 1 < order.size(); ++l) {
        const std::size_t n = order[l + 1].size();
        std::fill(tree.begin(), tree.begin() + static_cast<std::ptrdiff_t>(n) + 1, 0);
        std::int64_t total = 0;
        for (int v : order[l]) {
            ends.clear();
            for (const Link& link : g.down[v])
                if (weighted || !link.virtualLink)
                    ends.push_back({position[link.to], weighted ? link.weight : 1});
            for (const Weighted& end : ends) {
                std::int64_t notRight = 0;
                for (std::size_t i = static_cast<std::size_t>(end.at) + 1; i > 0; i &= i - 1)
                    notRight += tree[i];
                sum += (total - notRight) * end.weight;
            }
            for (const Weighted& end : ends) {
                for (std::size_t i = static_cast<std::size_t>(end.at) + 1; i <= n; i += i & (~i + 1))
                    tree[i] += end.weight;
                total += end.weight;
            }
        }
    }
    return sum;
}

std::optional<Order> orderLayers(const LayerGraph& g, std::span<const double> hints,
                                 const LayoutOptions& options, const Progress& progress)
{
    Minimiser minimiser(g, options, progress);
    if (std::any_of(hints.begin(), hints.end(), [](double x) { return !std::isnan(x); }))
        return minimiser.fromHints(hints);
    return minimiser.fromScratch();
}

} // namespace tilewright::layered
