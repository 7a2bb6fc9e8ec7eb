// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layer_graph.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>

namespace tilewright::layered {

namespace {

constexpr int kGroupWeight = 4;    // pull and crossing weight of a link inside a group
constexpr double kDummyWidth = 10; // width reserved for a line that passes a layer
constexpr int kPullPasses = 8;
constexpr long kMaxDummies = 400'000; // with more dummies, the longest edges are drawn as straight lines

int find(std::vector<int>& parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

struct Arc
{
    int from = 0;
    int to = 0;
    int weight = 1;
    bool reversed = false;
    std::int32_t net = -1;
};

/// Breaks cycles: a depth-first search from the lowest numbers reverses arcs to vertices on its stack.
void breakCycles(int n, std::vector<Arc>& arcs)
{
    std::vector<std::vector<int>> out(n);
    std::vector<int> indegree(n, 0);
    for (int a = 0; a < static_cast<int>(arcs.size()); ++a) {
        out[arcs[a].from].push_back(a);
        ++indegree[arcs[a].to];
    }
    enum : char { White, Grey, Black };
    std::vector<char> colour(n, White);
    std::vector<std::pair<int, std::size_t>> stack;
    const auto visit = [&](int root) {
        if (colour[root] != White)
            return;
        colour[root] = Grey;
        stack.emplace_back(root, 0);
        while (!stack.empty()) {
            auto& [v, next] = stack.back();
            if (next == out[v].size()) {
                colour[v] = Black;
                stack.pop_back();
                continue;
            }
            Arc& arc = arcs[out[v][next++]];
            const int w = arc.to;
            if (colour[w] == Grey) {
                std::swap(arc.from, arc.to);
                arc.reversed = true;
            } else if (colour[w] == White) {
                colour[w] = Grey;
                stack.emplace_back(w, 0);
            }
        }
    };
    for (int v = 0; v < n; ++v)
        if (indegree[v] == 0)
            visit(v);
    for (int v = 0; v < n; ++v)
        visit(v);
}

/// Moves vertices down towards their consumers, together with predecessors that have no other consumers, if
/// this makes the lines shorter in total. Lines of one net from one source share a trunk, so only the length
/// of the trunk counts.
class Puller
{
public:
    Puller(const std::vector<Arc>& arcs, std::vector<std::vector<int>>& in,
           std::vector<std::vector<int>>& out, std::vector<int>& layer)
        : m_arcs(arcs), m_in(in), m_out(out), m_layer(layer), m_inSet(layer.size(), 0)
    {
    }

    bool tryMove(int v)
    {
        int limit = std::numeric_limits<int>::max();
        double pull = 0;
        for (int a : m_out[v]) {
            limit = std::min(limit, m_layer[m_arcs[a].to] - 1);
            pull += m_arcs[a].weight;
        }
        const int distance = m_out[v].empty() ? 0 : limit - m_layer[v];
        if (distance <= 0)
            return false;
        m_set.assign(1, v);
        m_inSet[v] = 1;
        double cost = 0;
        for (std::size_t i = 0; i < m_set.size() && cost < pull * distance; ++i)
            for (int a : m_in[m_set[i]])
                cost += addPredecessor(m_arcs[a], distance);
        const bool move = cost < pull * distance;
        for (int w : m_set) {
            m_inSet[w] = 0;
            if (move)
                m_layer[w] += distance;
        }
        return move;
    }

private:
    double addPredecessor(const Arc& arc, int distance)
    {
        const int u = arc.from;
        if (m_inSet[u])
            return 0;
        const auto& out = m_out[u];
        const bool feedsOnlySet =
            std::all_of(out.begin(), out.end(), [&](int a) { return m_inSet[m_arcs[a].to]; });
        if (feedsOnlySet && m_set.size() < kLargestMove) {
            m_set.push_back(u);
            m_inSet[u] = 1;
            return 0;
        }
        int reach = m_layer[arc.to]; // lowest layer that the trunk reaches now
        for (int a : out)
            if (m_arcs[a].net == arc.net && arc.net >= 0)
                reach = std::max(reach, m_layer[m_arcs[a].to]);
        const double longer = std::max(0, m_layer[arc.to] + distance - reach);
        // A trunk from an input of the graph costs less, because it is drawn once along the side.
        return longer * arc.weight * (m_in[u].empty() && out.size() > 1 ? kInputTrunkWeight : 1);
    }

    static constexpr std::size_t kLargestMove = 64;
    static constexpr double kInputTrunkWeight = 0.3;
    const std::vector<Arc>& m_arcs;
    const std::vector<std::vector<int>>& m_in;
    const std::vector<std::vector<int>>& m_out;
    std::vector<int>& m_layer;
    std::vector<char> m_inSet;
    std::vector<int> m_set;
};

/// Layers by longest path from the sources; then vertices move down if this shortens lines.
std::vector<int> assignLayers(int n, const std::vector<Arc>& arcs)
{
    std::vector<std::vector<int>> in(n), out(n);
    std::vector<int> missing(n, 0);
    for (int a = 0; a < static_cast<int>(arcs.size()); ++a) {
        out[arcs[a].from].push_back(a);
        in[arcs[a].to].push_back(a);
        ++missing[arcs[a].to];
    }
    std::vector<int> order;
    order.reserve(n);
    for (int v = 0; v < n; ++v)
        if (missing[v] == 0)
            order.push_back(v);
    std::vector<int> layer(n, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (int a : out[order[i]]) {
            const int w = arcs[a].to;
            layer[w] = std::max(layer[w], layer[order[i]] + 1);
            if (--missing[w] == 0)
                order.push_back(w);
        }
    assert(static_cast<int>(order.size()) == n);

    Puller puller(arcs, in, out, layer);
    for (int pass = 0; pass < kPullPasses; ++pass) {
        bool moved = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it)
            moved |= puller.tryMove(*it);
        if (!moved)
            break;
    }
    const int first = n == 0 ? 0 : *std::min_element(layer.begin(), layer.end());
    for (int& l : layer)
        l -= first;
    return layer;
}

/// The longest edge (in layers) that gets dummies. The limit bounds the number of dummies.
int longestSpan(const std::vector<Arc>& arcs, const std::vector<int>& layer)
{
    std::vector<int> spans;
    long total = 0;
    for (const Arc& arc : arcs) {
        spans.push_back(layer[arc.to] - layer[arc.from]);
        total += spans.back() - 1;
    }
    std::sort(spans.begin(), spans.end());
    while (!spans.empty() && total > kMaxDummies) {
        total -= spans.back() - 1;
        spans.pop_back();
    }
    return spans.empty() ? 1 : std::max(1, spans.back());
}

} // namespace

void Links::build(std::size_t vertices, std::span<const std::pair<int, Link>> pairs)
{
    m_first.assign(vertices + 1, 0);
    for (const auto& [v, link] : pairs)
        ++m_first[static_cast<std::size_t>(v) + 1];
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    m_links.resize(pairs.size());
    std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
    for (const auto& [v, link] : pairs)
        m_links[next[static_cast<std::size_t>(v)]++] = link;
}

std::vector<Component> components(const LayoutGraph& graph)
{
    const int n = static_cast<int>(graph.nodes.size());
    std::vector<int> parent(n);
    std::iota(parent.begin(), parent.end(), 0);
    const auto join = [&](int a, int b) {
        a = find(parent, a);
        b = find(parent, b);
        parent[std::max(a, b)] = std::min(a, b);
    };
    for (const LayoutEdge& edge : graph.edges) {
        assert(edge.source < graph.nodes.size() && edge.target < graph.nodes.size());
        join(static_cast<int>(edge.source), static_cast<int>(edge.target));
    }
    std::map<std::int32_t, int> firstOfGroup;
    for (int v = 0; v < n; ++v)
        if (graph.nodes[v].group >= 0)
            join(firstOfGroup.try_emplace(graph.nodes[v].group, v).first->second, v);

    std::vector<Component> out;
    std::vector<int> number(n, -1);
    for (int v = 0; v < n; ++v) {
        const int root = find(parent, v);
        if (number[root] < 0) {
            number[root] = static_cast<int>(out.size());
            out.emplace_back();
        }
        out[number[root]].nodes.push_back(static_cast<std::uint32_t>(v));
    }
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e)
        out[number[find(parent, static_cast<int>(graph.edges[e].source))]].edges.push_back(e);
    return out;
}

LayerGraph buildLayers(const LayoutGraph& graph, const Component& component)
{
    LayerGraph g;
    const int n = static_cast<int>(component.nodes.size());
    g.nodeCount = n;
    std::map<std::int32_t, int> groupNumber;
    for (int v = 0; v < n; ++v) {
        const LayoutNode& node = graph.nodes[component.nodes[v]];
        g.width.push_back(node.width);
        g.height.push_back(node.height);
        g.group.push_back(
            node.group < 0
                ? -1
                : groupNumber.try_emplace(node.group, static_cast<int>(groupNumber.size())).first->second);
    }
    g.groupCount = static_cast<int>(groupNumber.size());

    const auto local = [&](std::uint32_t node) {
        const auto& nodes = component.nodes; // sorted ascending
        return static_cast<int>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
    };
    std::vector<Arc> arcs;
    std::vector<int> arcOfEdge(component.edges.size(), -1);
    for (std::size_t e = 0; e < component.edges.size(); ++e) {
        const LayoutEdge& edge = graph.edges[component.edges[e]];
        if (edge.source == edge.target)
            continue;
        const int from = local(edge.source);
        const int to = local(edge.target);
        const bool inside = g.group[from] >= 0 && g.group[from] == g.group[to];
        arcOfEdge[e] = static_cast<int>(arcs.size());
        arcs.push_back({from, to, inside ? kGroupWeight : 1, false, edge.net});
    }
    breakCycles(n, arcs);
    g.layer = assignLayers(n, arcs);
    g.layerCount = n == 0 ? 0 : *std::max_element(g.layer.begin(), g.layer.end()) + 1;

    // Trunks: arcs from one source in one net share their dummies, down to the farthest target.
    const int span = longestSpan(arcs, g.layer);
    struct Trunk
    {
        int last = 0; // layer of the last dummy of the trunk
        int firstDummy = -1;
        std::vector<int> arcs;
    };
    std::map<std::pair<int, int>, Trunk> trunks; // key: source, and the net or, without a net, -2 - arc
    for (int a = 0; a < static_cast<int>(arcs.size()); ++a) {
        const int net = arcs[a].net >= 0 && !arcs[a].reversed ? arcs[a].net : -2 - a;
        Trunk& trunk = trunks[{arcs[a].from, net}];
        trunk.arcs.push_back(a);
        if (g.layer[arcs[a].to] - g.layer[arcs[a].from] <= span)
            trunk.last = std::max(trunk.last, g.layer[arcs[a].to] - 1);
    }
    std::vector<std::pair<int, Link>> downPairs, upPairs;
    const auto link = [&](int from, int to, bool virtualLink = false) {
        const bool inside = g.group[from] >= 0 && g.group[from] == g.group[to];
        const int weight = inside ? kGroupWeight : 1;
        downPairs.push_back({from, {to, weight, virtualLink}});
        upPairs.push_back({to, {from, weight, virtualLink}});
    };
    const auto addDummy = [&](int layer, int group) {
        g.layer.push_back(layer);
        g.group.push_back(group);
        g.width.push_back(kDummyWidth);
        g.height.push_back(0);
        return g.vertexCount() - 1;
    };
    std::vector<int> firstDummyOfArc(arcs.size(), -1);
    for (auto& [key, trunk] : trunks) {
        const int from = key.first;
        int above = from;
        for (int l = g.layer[from] + 1; l <= trunk.last; ++l) {
            // A part of a trunk belongs to the group if all targets below it do.
            int group = g.group[from];
            for (int a : trunk.arcs)
                if (g.layer[arcs[a].to] > l && g.group[arcs[a].to] != group)
                    group = -1;
            const int dummy = addDummy(l, group);
            if (trunk.firstDummy < 0)
                trunk.firstDummy = dummy;
            link(above, dummy);
            above = dummy;
        }
        for (int a : trunk.arcs) {
            firstDummyOfArc[a] = trunk.firstDummy;
            const int gap = g.layer[arcs[a].to] - g.layer[from];
            if (gap <= span)
                link(gap == 1 ? from : trunk.firstDummy + gap - 2, arcs[a].to);
        }
    }
    g.chains.resize(component.edges.size());
    for (std::size_t e = 0; e < component.edges.size(); ++e) {
        if (arcOfEdge[e] < 0)
            continue;
        const Arc& arc = arcs[arcOfEdge[e]];
        const int gap = g.layer[arc.to] - g.layer[arc.from];
        g.chains[e] = {arc.from, arc.to, firstDummyOfArc[arcOfEdge[e]], gap <= span ? gap - 1 : 0,
                       arc.reversed};
    }

    // Keeps a group in one piece. Layers between its first and its last one that have none of its vertices
    // get a placeholder, and layers without a real link between them get a virtual link.
    std::vector<std::vector<int>> membersOf(g.groupCount);
    for (int v = 0; v < g.vertexCount(); ++v)
        if (g.group[v] >= 0)
            membersOf[g.group[v]].push_back(v);
    std::vector<char> linked(static_cast<std::size_t>(g.layerCount) + 1, 0);
    std::vector<std::vector<int>> linkedLayers(g.groupCount);
    for (const auto& [from, l] : downPairs)
        if (l.weight == kGroupWeight)
            linkedLayers[g.group[from]].push_back(g.layer[from]);
    for (int group = 0; group < g.groupCount; ++group) {
        std::vector<int>& members = membersOf[group];
        if (members.size() < 2)
            continue;
        int first = g.layerCount, last = 0;
        for (int v : members) {
            first = std::min(first, g.layer[v]);
            last = std::max(last, g.layer[v]);
        }
        std::vector<int> one(static_cast<std::size_t>(last - first) + 1, -1);
        for (auto it = members.rbegin(); it != members.rend(); ++it)
            one[g.layer[*it] - first] = *it;
        for (int l = first; l <= last; ++l)
            if (one[l - first] < 0)
                one[l - first] = addDummy(l, group);
        for (int l : linkedLayers[group])
            linked[l] = 1;
        for (int l = first; l < last; ++l)
            if (!linked[l])
                link(one[l - first], one[l + 1 - first], true);
        for (int l : linkedLayers[group])
            linked[l] = 0;
    }
    g.down.build(g.layer.size(), downPairs);
    g.up.build(g.layer.size(), upPairs);
    return g;
}

} // namespace tilewright::layered
