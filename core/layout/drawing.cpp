// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of an ordered graph: columns, outlines of groups, routes of edges.
#include "layout/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tilewright::layered {

namespace {

constexpr int kMinLayersPerColumn = 4; // least number of layers per column
constexpr double kGroupCutCost = 6;
constexpr double kMaxBreakCost = 10; // largest acceptable cost of a break
constexpr double kLeafCutCost = 3;   // per leaf that a break separates from its neighbour

/// Cost of a break below each layer: the trunks that must be routed around the columns, and the groups that
/// are split.
std::vector<double> breakCosts(const LayerGraph& g, const Order& order)
{
    std::vector<double> cost(order.size(), 0);
    std::vector<char> here(static_cast<std::size_t>(g.groupCount), 0);
    for (std::size_t l = 0; l + 1 < order.size(); ++l) {
        for (int v : order[l]) {
            const auto links = g.down[v];
            if (std::any_of(links.begin(), links.end(), [](const Link& link) { return !link.virtualLink; }))
                cost[l] += isLeaf(g, v) ? kLeafCutCost : 1;
            if (g.group[v] >= 0)
                here[g.group[v]] = 1;
        }
        for (int v : order[l + 1])
            if (g.group[v] >= 0 && here[g.group[v]] == 1) {
                here[g.group[v]] = 2;
                cost[l] += kGroupCutCost;
            }
        for (int v : order[l])
            if (g.group[v] >= 0)
                here[g.group[v]] = 0;
    }
    return cost;
}

/// Returns the last layer of each column. Returns fewer than `count` columns if there are too few good places
/// for breaks.
std::vector<int> chooseBreaks(const std::vector<double>& cost, const Coordinates& at, int count)
{
    const int layers = static_cast<int>(cost.size());
    const double height = at.layerBottom.back();
    std::vector<int> lastLayers;
    int first = 0;
    for (int c = 0; c + 1 < count; ++c) {
        const double remaining = height - at.layerTop[first];
        const double ideal = at.layerTop[first] + remaining / (count - c);
        const double reach = 0.3 * remaining / (count - c);
        int best = -1;
        double bestPrice = 0;
        for (int l = first + 1; l < layers - 1; ++l) {
            const double off = std::abs((at.layerBottom[l] + at.layerTop[l + 1]) / 2 - ideal);
            const double price = cost[l] + 8 * off / reach;
            if (off <= reach && cost[l] <= kMaxBreakCost && (best < 0 || price < bestPrice)) {
                best = l;
                bestPrice = price;
            }
        }
        if (best < 0)
            break;
        lastLayers.push_back(best);
        first = best + 1;
    }
    lastLayers.push_back(layers - 1);
    return lastLayers;
}

struct Extent
{
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    void add(double from, double to)
    {
        left = std::min(left, from);
        right = std::max(right, to);
    }
};

Extent extentOf(const LayerGraph& g, const std::vector<int>& layer, const Coordinates& at, double padding)
{
    Extent extent;
    for (int v : layer) {
        const double half = (g.isNode(v) ? g.width[v] / 2 : 0) + (g.group[v] >= 0 ? padding : 0);
        extent.add(at.x[v] - half, at.x[v] + half);
    }
    return extent;
}

/// Width / height of the drawing if its columns end at `lastLayers`.
double aspectOf(const std::vector<Extent>& extents, const Coordinates& at, const std::vector<int>& lastLayers)
{
    double width = 0, height = 0;
    int layer = 0;
    for (const int last : lastLayers) {
        Extent column;
        const double top = at.layerTop[layer];
        for (; layer <= last; ++layer)
            column.add(extents[layer].left, extents[layer].right);
        width += column.right - column.left + 2 * kColumnGap;
        height = std::max(height, at.layerBottom[last] - top);
    }
    return width / std::max(1.0, height);
}

} // namespace

double laneRoom(std::size_t links)
{
    return kColumnGap + kLaneGap * static_cast<double>(links);
}

Columns breakIntoColumns(const LayerGraph& g, const Order& order, Coordinates& at,
                         const LayoutOptions& options)
{
    Columns columns;
    const int layers = static_cast<int>(order.size());
    columns.ofLayer.assign(order.size(), 0);
    Extent whole;
    std::vector<Extent> extents;
    for (const auto& layer : order) {
        extents.push_back(extentOf(g, layer, at, options.groupPadding));
        whole.add(extents.back().left, extents.back().right);
    }
    const double height = at.layerBottom.back();
    const double width = whole.right - whole.left;
    const double wanted = options.orientation == LayoutOptions::Orientation::LeftToRight && options.aspect > 0
                              ? 1 / options.aspect
                              : options.aspect;
    int count = 1;
    if (wanted > 0)
        count = static_cast<int>(std::lround(std::sqrt(wanted * height / (width + 2 * kColumnGap))));
    if (options.columns > 0)
        count = options.columns;
    count = std::clamp(count, 1, std::max(1, layers / kMinLayersPerColumn));

    const std::vector<double> cost = breakCosts(g, order);
    std::vector<int> lastLayers = chooseBreaks(cost, at, count);
    while (options.columns == 0 && count > 1 && std::ssize(lastLayers) < count)
        // Too many trunks would be rerouted, so fewer columns are tried.
        lastLayers = chooseBreaks(cost, at, --count);
    if (options.columns == 0 && wanted > 0 && count > 1) {
        // If a few layers are much wider than the others, most columns are narrow and more columns fit. A
        // drawing that nearly fits the pane in one column is not broken.
        const int most = std::max(1, layers / kMinLayersPerColumn);
        double off = std::log(aspectOf(extents, at, lastLayers) / wanted);
        while (off < 0 && count < most) {
            std::vector<int> more = chooseBreaks(cost, at, count + 1);
            const double next = std::log(aspectOf(extents, at, more) / wanted);
            if (std::ssize(more) <= count || std::abs(next) >= std::abs(off))
                break;
            lastLayers = std::move(more);
            off = next;
            ++count;
        }
    }

    // Places the columns side by side. The gap between two columns has room for the lanes of the trunks that
    // cross the break.
    double x = 0;
    int layer = 0;
    for (std::size_t c = 0; c < lastLayers.size(); ++c) {
        Extent extent;
        const double top = at.layerTop[layer];
        for (int l = layer; l <= lastLayers[c]; ++l)
            extent.add(extents[l].left, extents[l].right);
        const double shift = lastLayers.size() == 1 ? 0 : x - extent.left;
        for (; layer <= lastLayers[c]; ++layer) {
            columns.ofLayer[layer] = static_cast<int>(c);
            for (int v : order[layer])
                at.x[v] += shift;
            at.layerTop[layer] -= top;
            at.layerBottom[layer] -= top;
        }
        columns.left.push_back(extent.left + shift);
        columns.right.push_back(extent.right + shift);
        columns.bottom.push_back(at.layerBottom[lastLayers[c]] + options.groupPadding);
        std::size_t broken = 0;
        for (int v : order[lastLayers[c]])
            broken += g.down[v].empty() ? 0 : 1;
        x = extent.right + shift + laneRoom(broken) + kColumnGap;
    }
    return columns;
}

namespace {

constexpr double kStraighten =
    30; // steps of an outline that are smaller than this are removed if there is room

/// The extent of a group in one layer, including padding, and the limits up to which it may grow.
struct Band
{
    int layer = 0;
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    double leftLimit = std::numeric_limits<double>::lowest();
    double rightLimit = std::numeric_limits<double>::max();
    double top = 0;
    double bottom = 0;
};

void straighten(std::vector<Band>& bands)
{
    for (int pass = 0; pass < 3; ++pass)
        for (std::size_t i = 0; i + 1 < bands.size(); ++i) {
            Band &a = bands[i], &b = bands[i + 1];
            if (std::abs(a.right - b.right) < kStraighten) {
                const double right = std::max(a.right, b.right);
                a.right = std::max(a.right, std::min(right, a.rightLimit));
                b.right = std::max(b.right, std::min(right, b.rightLimit));
            }
            if (std::abs(a.left - b.left) < kStraighten) {
                const double left = std::min(a.left, b.left);
                a.left = std::min(a.left, std::max(left, a.leftLimit));
                b.left = std::min(b.left, std::max(left, b.leftLimit));
            }
        }
}

std::vector<LayoutPoint> polygon(const std::vector<Band>& bands)
{
    std::vector<LayoutPoint> points;
    const auto add = [&](double x, double y) {
        if (points.size() >= 2) { // adds no corner within a straight side
            const LayoutPoint &a = points[points.size() - 2], &b = points.back();
            if (std::abs((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) < 1e-6)
                points.pop_back();
        }
        points.push_back({x, y});
    };
    for (const Band& band : bands) {
        add(band.right, band.top);
        add(band.right, band.bottom);
    }
    for (auto it = bands.rbegin(); it != bands.rend(); ++it) {
        add(it->left, it->bottom);
        add(it->left, it->top);
    }
    return points;
}

} // namespace

std::vector<LayoutGroup> drawOutlines(const LayerGraph& g, const Order& order, const Coordinates& at,
                                      const Columns& columns, const LayoutOptions& options)
{
    const double padding = options.groupPadding;
    std::vector<std::vector<Band>> bands(static_cast<std::size_t>(g.groupCount));
    for (int l = 0; l < static_cast<int>(order.size()); ++l) {
        const double middle = (at.layerTop[l] + at.layerBottom[l]) / 2;
        const auto half = [&](int v) { return g.isNode(v) ? g.width[v] / 2 : 0; };
        const auto edge = [&](int v) { return half(v) + (g.group[v] >= 0 ? padding : 0) + 1; };
        for (std::size_t i = 0; i < order[l].size(); ++i) {
            const int v = order[l][i];
            if (g.group[v] < 0)
                continue;
            auto& list = bands[g.group[v]];
            if (list.empty() || list.back().layer != l) {
                list.emplace_back();
                list.back().layer = l;
                list.back().top = middle;
                list.back().bottom = middle;
                if (i > 0)
                    list.back().leftLimit = at.x[order[l][i - 1]] + edge(order[l][i - 1]);
            }
            Band& band = list.back();
            band.left = std::min(band.left, at.x[v] - half(v) - padding);
            band.right = std::max(band.right, at.x[v] + half(v) + padding);
            band.top = std::min(band.top, middle - g.height[v] / 2);
            band.bottom = std::max(band.bottom, middle + g.height[v] / 2);
            if (i + 1 < order[l].size())
                band.rightLimit = at.x[order[l][i + 1]] - edge(order[l][i + 1]);
            else
                band.rightLimit = std::numeric_limits<double>::max();
        }
    }
    std::vector<LayoutGroup> out(bands.size());
    for (std::size_t group = 0; group < bands.size(); ++group) {
        std::vector<Band> piece;
        const auto close = [&] {
            if (piece.empty())
                return;
            for (std::size_t i = 1; i < piece.size();
                 ++i) // between its first and last layer an outline has the full height of the layer
                piece[i].top = at.layerTop[piece[i].layer];
            for (std::size_t i = 0; i + 1 < piece.size(); ++i)
                piece[i].bottom = at.layerBottom[piece[i].layer];
            piece.front().top -= padding;
            piece.back().bottom += padding;
            straighten(piece);
            out[group].outlines.push_back(polygon(piece));
            piece.clear();
        };
        for (const Band& band : bands[group]) {
            if (!piece.empty() && columns.ofLayer[piece.back().layer] != columns.ofLayer[band.layer])
                close();
            piece.push_back(band);
        }
        close();
    }
    return out;
}

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

/// Path of a trunk around the columns, from the bottom of one column to the top of the next.
struct Lane
{
    double bottom = 0, side = 0, top = 0;
};

/// The lane of each vertex above a break. Lanes are nested, so that they do not cross.
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
        // An edge from straight above stays vertical; the others end beside it.
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
