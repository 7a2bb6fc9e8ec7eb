// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/drawing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::layered {

namespace {

constexpr double kPortGap = 18;
constexpr double kCornerRadius = 10;

void lineTo(LayoutRoute& route, LayoutPoint to)
{
    const LayoutPoint from = route.back();
    if (from == to)
        return;
    route.push_back({from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3});
    route.push_back({from.x + 2 * (to.x - from.x) / 3, from.y + 2 * (to.y - from.y) / 3});
    route.push_back(to);
}

/// Appends a curve that is vertical at both ends.
void curveTo(LayoutRoute& route, LayoutPoint to)
{
    const LayoutPoint from = route.back();
    if (from.x == to.x)
        return lineTo(route, to);
    const double bend = (to.y - from.y) / 2;
    route.push_back({from.x, from.y + bend});
    route.push_back({to.x, to.y - bend});
    route.push_back(to);
}

/// Appends straight segments through the given corners, with rounded corners.
void bendTo(LayoutRoute& route, std::span<const LayoutPoint> corners)
{
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const LayoutPoint from = route.back(), corner = corners[i];
        if (i + 1 == corners.size()) {
            lineTo(route, corner);
            break;
        }
        const LayoutPoint next = corners[i + 1];
        const double before = std::hypot(corner.x - from.x, corner.y - from.y);
        const double after = std::hypot(next.x - corner.x, next.y - corner.y);
        const double r = std::min({kCornerRadius, before / 2, after / 2});
        if (r < 0.5)
            continue;
        const auto towards = [&](LayoutPoint p, double length) {
            return LayoutPoint{corner.x + (p.x - corner.x) * r / length,
                               corner.y + (p.y - corner.y) * r / length};
        };
        const LayoutPoint in = towards(from, before), out = towards(next, after);
        lineTo(route, in);
        route.push_back({in.x + (corner.x - in.x) * 0.55, in.y + (corner.y - in.y) * 0.55});
        route.push_back({out.x + (corner.x - out.x) * 0.55, out.y + (corner.y - out.y) * 0.55});
        route.push_back(out);
    }
}

/// Path of a trunk around the columns: from the bottom of one column to the top of the next.
struct Lane
{
    double bottom = 0, side = 0, top = 0;
};

/// The lane of each vertex above a break. Lanes are nested so that they do not cross.
std::map<int, Lane> lanes(const LayerGraph& g, const Coordinates& at, const Columns& columns,
                          const LayoutOptions& options)
{
    std::map<int, Lane> out;
    if (columns.count() < 2)
        return out;
    std::vector<std::vector<int>> broken(static_cast<std::size_t>(columns.count()));
    for (int v = 0; v < g.vertexCount(); ++v)
        for (const Link& link : g.down[v])
            if (!link.virtualLink && columns.ofLayer[g.layer[v]] != columns.ofLayer[g.layer[link.to]]) {
                broken[columns.ofLayer[g.layer[v]]].push_back(v);
                break;
            }
    for (int c = 0; c + 1 < columns.count(); ++c) {
        auto& list = broken[c];
        std::sort(list.begin(), list.end(), [&](int a, int b) { return at.x[a] > at.x[b]; });
        for (std::size_t i = 0; i < list.size(); ++i) {
            const double in = kLaneGap * static_cast<double>(i);
            const double out2 = kLaneGap * static_cast<double>(list.size() - 1 - i);
            out[list[i]] = {columns.bottom[c] + kColumnGap / 2 + in, columns.right[c] + kColumnGap + in,
                            -options.groupPadding - kColumnGap / 2 - out2};
        }
    }
    return out;
}

} // namespace

std::vector<LayoutRoute> drawRoutes(const LayerGraph& g, const Coordinates& at, const Columns& columns,
                                    const LayoutOptions& options)
{
    const auto vertexAbove = [](const Chain& chain) {
        return chain.dummies > 0 ? chain.firstDummy + chain.dummies - 1 : chain.top;
    };
    // Distributes the ends of edges along the upper side of each node, in the order of their sources.
    std::vector<std::vector<std::size_t>> arrivals(static_cast<std::size_t>(g.nodeCount));
    for (std::size_t e = 0; e < g.chains.size(); ++e)
        if (g.chains[e].top >= 0)
            arrivals[g.chains[e].bottom].push_back(e);
    std::vector<double> port(g.chains.size(), 0);
    for (int v = 0; v < g.nodeCount; ++v) {
        auto& list = arrivals[v];
        std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
            return at.x[vertexAbove(g.chains[a])] < at.x[vertexAbove(g.chains[b])];
        });
        // An edge from straight above stays vertical; the others are placed beside it.
        int straight = -1;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (std::abs(at.x[vertexAbove(g.chains[list[i]])] - at.x[v]) < 0.5)
                straight = static_cast<int>(i);
        const double count = static_cast<double>(list.size());
        const double middle = straight >= 0 ? straight : (count - 1) / 2;
        const double farthest = std::max({middle, count - 1 - middle, 1.0});
        const double gap = std::min(kPortGap, 0.4 * g.width[v] / farthest);
        for (std::size_t i = 0; i < list.size(); ++i)
            port[list[i]] = at.x[v] + gap * (static_cast<double>(i) - middle);
    }
    const std::map<int, Lane> goRound = lanes(g, at, columns, options);

    std::vector<LayoutRoute> routes(g.chains.size());
    for (std::size_t e = 0; e < g.chains.size(); ++e) {
        const Chain& chain = g.chains[e];
        if (chain.top < 0)
            continue;
        LayoutRoute& route = routes[e];
        const auto middle = [&](int v) { return (at.layerTop[g.layer[v]] + at.layerBottom[g.layer[v]]) / 2; };
        route.push_back({at.x[chain.top], middle(chain.top) + g.height[chain.top] / 2});
        int above = chain.top;
        for (int i = 0; i <= chain.dummies; ++i) {
            const bool last = i == chain.dummies;
            const int v = last ? chain.bottom : chain.firstDummy + i;
            const double x = last ? port[e] : at.x[v];
            lineTo(route, {at.x[above], at.layerBottom[g.layer[above]]});
            const LayoutPoint arrive{x, at.layerTop[g.layer[v]]};
            const int from = columns.ofLayer[g.layer[above]], to = columns.ofLayer[g.layer[v]];
            if (from == to) {
                curveTo(route, arrive);
            } else if (const auto lane = goRound.find(above); lane != goRound.end() && to == from + 1) {
                const auto& [bottom, side, top] = lane->second;
                const LayoutPoint corners[] = {
                    {at.x[above], bottom}, {side, bottom}, {side, top}, {x, top}, arrive};
                bendTo(route, corners);
            } else { // an edge without dummies that spans several columns
                lineTo(route, arrive);
            }
            lineTo(route, {x, last ? middle(v) - g.height[v] / 2 : at.layerBottom[g.layer[v]]});
            above = v;
        }
        if (chain.reversed)
            std::reverse(route.begin(), route.end());
    }
    return routes;
}

} // namespace tilewright::layered
