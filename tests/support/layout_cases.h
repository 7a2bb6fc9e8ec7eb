// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs to lay out, and what is measured on their drawings.
#pragma once

#include "layout/layer_graph.h"
#include "layout/layout.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace tilewright::test {

struct Shape
{
    int nodes = 40;
    int reach = 12;
    int groupSize = 0;
    unsigned seed = 1;
};

/// Every node after the first reads one to three of the nodes before it, at most `reach` back.
inline LayoutGraph randomGraph(const Shape& shape)
{
    std::mt19937 random(shape.seed);
    LayoutGraph graph;
    for (int i = 0; i < shape.nodes; ++i) {
        const bool small = random() % 5 == 0;
        graph.nodes.push_back(
            {small ? 50.0 : 120.0, small ? 20.0 : 44.0, shape.groupSize > 0 ? i / shape.groupSize : -1});
    }
    for (int i = 1; i < shape.nodes; ++i) {
        const unsigned inputs = 1 + random() % 3;
        for (unsigned j = 0; j < inputs; ++j) {
            const int back = 1 + static_cast<int>(random() % static_cast<unsigned>(shape.reach));
            graph.edges.push_back(
                {static_cast<unsigned>(std::max(0, i - back)), static_cast<unsigned>(i), 0});
        }
    }
    return graph;
}

inline LayoutGraph chain(int n, int groupSize = 0)
{
    LayoutGraph graph;
    for (int i = 0; i < n; ++i)
        graph.nodes.push_back({120, 44, groupSize > 0 ? i / groupSize : -1});
    for (int i = 1; i < n; ++i)
        graph.edges.push_back({static_cast<unsigned>(i - 1), static_cast<unsigned>(i), 0});
    return graph;
}

inline bool overlap(const LayoutRect& a, const LayoutRect& b)
{
    constexpr double slack = 1e-6;
    return a.x + slack < b.right() && b.x + slack < a.right() && a.y + slack < b.bottom() &&
           b.y + slack < a.bottom();
}

inline int overlaps(const LayoutResult& result)
{
    int count = 0;
    for (std::size_t i = 0; i < result.nodes.size(); ++i)
        for (std::size_t j = i + 1; j < result.nodes.size(); ++j)
            count += overlap(result.nodes[i], result.nodes[j]) ? 1 : 0;
    return count;
}

inline std::vector<LayoutPoint> sampled(const LayoutRoute& route)
{
    std::vector<LayoutPoint> points;
    for (std::size_t i = 0; i + 3 < route.size(); i += 3)
        for (int s = 0; s <= 8; ++s) {
            const double t = s / 8.0, u = 1 - t;
            const double a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
            points.push_back({a * route[i].x + b * route[i + 1].x + c * route[i + 2].x + d * route[i + 3].x,
                              a * route[i].y + b * route[i + 1].y + c * route[i + 2].y + d * route[i + 3].y});
        }
    return points;
}

inline bool inside(const std::vector<LayoutPoint>& polygon, LayoutPoint p)
{
    bool in = false;
    for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++)
        if ((polygon[i].y > p.y) != (polygon[j].y > p.y) &&
            p.x < (polygon[j].x - polygon[i].x) * (p.y - polygon[i].y) / (polygon[j].y - polygon[i].y) +
                      polygon[i].x)
            in = !in;
    return in;
}

inline double signedArea(const std::vector<LayoutPoint>& polygon)
{
    double area = 0;
    for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++)
        area += polygon[j].x * polygon[i].y - polygon[i].x * polygon[j].y;
    return area / 2;
}

inline bool same(const LayoutResult& a, const LayoutResult& b)
{
    if (a.nodes != b.nodes || a.edges != b.edges || a.layers != b.layers ||
        a.groups.size() != b.groups.size())
        return false;
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (a.groups[i].outlines != b.groups[i].outlines)
            return false;
    return true;
}

/// Crossings of all pairs of drawn links between neighbouring layers, counted one by one.
inline std::int64_t crossingsByPairs(const layered::LayerGraph& g, const layered::Order& order)
{
    std::vector<int> position(g.layer.size());
    for (const auto& layer : order)
        for (std::size_t i = 0; i < layer.size(); ++i)
            position[layer[i]] = static_cast<int>(i);
    std::int64_t sum = 0;
    for (const auto& layer : order) {
        std::vector<std::pair<int, int>> links;
        for (int v : layer)
            for (const auto& link : g.down[v])
                if (!link.virtualLink)
                    links.push_back({position[v], position[link.to]});
        for (std::size_t i = 0; i < links.size(); ++i)
            for (std::size_t j = i + 1; j < links.size(); ++j)
                sum += (links[i].first - links[j].first) * (links[i].second - links[j].second) < 0 ? 1 : 0;
    }
    return sum;
}

} // namespace tilewright::test
