// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layer_graph.h"

#include <algorithm>
#include <cmath>

namespace tilewright::layered {

namespace {

constexpr std::size_t kMinLayers = 24; // least number of layers: smaller drawings do not drift far
constexpr std::size_t kStripRadius =
    12; // number of layers on each side whose widest layer defines the width of the strip
constexpr double kStep = 100; // shifts are multiples of this length
constexpr int kMaxStepChange =
    3; // largest change of the shift between two layers, in steps, so that no line makes a large jump
// Costs, relative to moving one line sideways by one unit of length:
constexpr double kOutsideCost = 2; // a layer that lies one unit outside of the strip
constexpr double kOffAxisCost = 0.1;
constexpr double kJogCost = 300; // fixed cost of a jog, so that one jog is better than several small ones

/// Horizontal extent of a layer, relative to the axis of the drawing.
struct Span
{
    double middle = 0;
    double half = 0;
    double room = 0; ///< half of the width of the strip at this layer
};

std::vector<Span> spansOf(const LayerGraph& g, const Order& order, const std::vector<double>& x)
{
    std::vector<Span> spans;
    std::vector<double> middles;
    for (const auto& layer : order) {
        const double left = x[layer.front()] - g.width[layer.front()] / 2;
        const double right = x[layer.back()] + g.width[layer.back()] / 2;
        spans.push_back({(left + right) / 2, (right - left) / 2});
        middles.push_back(spans.back().middle);
    }
    const auto median = middles.begin() + std::ssize(middles) / 2;
    std::nth_element(middles.begin(), median, middles.end());
    for (std::size_t l = 0; l < spans.size(); ++l) {
        spans[l].middle -= *median;
        for (std::size_t k = l - std::min(l, kStripRadius); k < std::min(spans.size(), l + kStripRadius + 1);
             ++k)
            spans[l].room = std::max(spans[l].room, spans[k].half);
    }
    return spans;
}

/// Number of lines from the layer above. Lines to leaves do not count.
int linesInto(const LayerGraph& g, const std::vector<int>& layer)
{
    int lines = 0;
    for (int v : layer)
        for (const Link& link : g.up[v])
            lines += isLeaf(g, v) || isLeaf(g, link.to) ? 0 : 1;
    return lines;
}

} // namespace

void removeDrift(const LayerGraph& g, const Order& order, std::vector<double>& x)
{
    if (order.size() < kMinLayers)
        return;
    const std::vector<Span> spans = spansOf(g, order, x);
    double outside = 0;
    for (const Span& span : spans)
        outside = std::max(outside, std::abs(span.middle) + span.half - span.room);
    const auto most = static_cast<std::ptrdiff_t>(std::ceil(outside / kStep));
    if (most == 0)
        return;

    // Shortest path over the layers by dynamic programming: at(l)[s] is the least cost of layers 0 to l if l
    // is shifted by s - most steps. The entries beyond both ends of a row are unreachable.
    const std::ptrdiff_t shifts = 2 * most + 1, row = shifts + 2 * kMaxStepChange;
    std::vector<double> price(order.size() * static_cast<std::size_t>(row), 1e18);
    const auto at = [&](std::size_t l) {
        return price.data() + static_cast<std::ptrdiff_t>(l) * row + kMaxStepChange;
    };
    const auto jog = [&](int lines, std::ptrdiff_t steps) {
        return steps == 0 ? 0 : kJogCost + kStep * lines * static_cast<double>(std::abs(steps));
    };
    std::vector<int> lines;
    for (std::size_t l = 0; l < order.size(); ++l) {
        double* here = at(l);
        lines.push_back(l == 0 ? 0 : linesInto(g, order[l]));
        if (l == 0)
            std::fill_n(here, shifts, 0);
        else
            for (int d = -kMaxStepChange; d <= kMaxStepChange; ++d) {
                const double* above = at(l - 1) + d;
                const double more = jog(lines[l], d);
                for (std::ptrdiff_t s = 0; s < shifts; ++s)
                    here[s] = std::min(here[s], above[s] + more);
            }
        for (std::ptrdiff_t s = 0; s < shifts; ++s) {
            const double off = std::abs(spans[l].middle + kStep * static_cast<double>(s - most));
            here[s] += kOutsideCost * std::max(0.0, off + spans[l].half - spans[l].room) + kOffAxisCost * off;
        }
    }
    std::ptrdiff_t s =
        std::min_element(at(order.size() - 1), at(order.size() - 1) + shifts) - at(order.size() - 1);
    for (std::size_t l = order.size(); l-- > 0;) {
        for (int v : order[l])
            x[v] += kStep * static_cast<double>(s - most);
        if (l == 0)
            break;
        std::ptrdiff_t best = s;
        for (std::ptrdiff_t above = s - kMaxStepChange; above <= s + kMaxStepChange; ++above)
            if (at(l - 1)[above] + jog(lines[l], above - s) < at(l - 1)[best] + jog(lines[l], best - s))
                best = above;
        s = best;
    }
}

} // namespace tilewright::layered
