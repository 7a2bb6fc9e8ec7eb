// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::layered {

namespace {

constexpr int kMinLayersPerColumn = 4; // least number of layers per column
constexpr double kGroupCutCost = 6;
constexpr double kMaxBreakCost = 10; // largest acceptable cost of a break
constexpr double kLeafCutCost = 3;   // per leaf that a break separates from its neighbour

/// Cost of a break below each layer: trunks that must be routed around the columns, and groups that are
/// split.
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

/// Width / height of the drawing with columns that end at `lastLayers`.
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
        lastLayers = chooseBreaks(cost, at, --count); // too many trunks would be rerouted: try fewer columns
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

} // namespace tilewright::layered
