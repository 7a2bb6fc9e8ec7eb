// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layer_graph.h"

#include <algorithm>
#include <cmath>

namespace tilewright::layered {

namespace {

constexpr std::size_t kDeep = 24;   // layers; what has fewer does not wander far
constexpr std::size_t kAround = 12; // layers on both sides: the widest of them is what the strip must hold
constexpr double kStep = 100;       // shifts are multiples of it
constexpr int kFarthest = 3;        // steps from one layer to the next: no line is to leap
// Prices, against that of leading a line a unit aside.
constexpr double kOutside = 2; // a layer that stands a unit out of the strip
constexpr double kOffAxis = 0.1;
constexpr double kJog = 300; // one jog is better than many small ones

/// Where a layer lies, from the axis of the drawing.
struct Span
{
    double middle = 0;
    double half = 0;
    double room = 0; ///< half of the strip that it is to lie in
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
        for (std::size_t k = l - std::min(l, kAround); k < std::min(spans.size(), l + kAround + 1); ++k)
            spans[l].room = std::max(spans[l].room, spans[k].half);
    }
    return spans;
}

/// Lines from the layer above; what follows its only neighbour does not count.
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
    if (order.size() < kDeep)
        return;
    const std::vector<Span> spans = spansOf(g, order, x);
    double outside = 0;
    for (const Span& span : spans)
        outside = std::max(outside, std::abs(span.middle) + span.half - span.room);
    const auto most = static_cast<std::ptrdiff_t>(std::ceil(outside / kStep));
    if (most == 0)
        return;

    // The cheapest way from layer to layer; at[l][s] is the price of all down to l when l is shifted by
    // s - most steps. At both ends there are shifts that nothing reaches.
    const std::ptrdiff_t shifts = 2 * most + 1, row = shifts + 2 * kFarthest;
    std::vector<double> price(order.size() * static_cast<std::size_t>(row), 1e18);
    const auto at = [&](std::size_t l) {
        return price.data() + static_cast<std::ptrdiff_t>(l) * row + kFarthest;
    };
    const auto jog = [&](int lines, std::ptrdiff_t steps) {
        return steps == 0 ? 0 : kJog + kStep * lines * static_cast<double>(std::abs(steps));
    };
    std::vector<int> lines;
    for (std::size_t l = 0; l < order.size(); ++l) {
        double* here = at(l);
        lines.push_back(l == 0 ? 0 : linesInto(g, order[l]));
        if (l == 0)
            std::fill_n(here, shifts, 0);
        else
            for (int d = -kFarthest; d <= kFarthest; ++d) {
                const double* above = at(l - 1) + d;
                const double more = jog(lines[l], d);
                for (std::ptrdiff_t s = 0; s < shifts; ++s)
                    here[s] = std::min(here[s], above[s] + more);
            }
        for (std::ptrdiff_t s = 0; s < shifts; ++s) {
            const double off = std::abs(spans[l].middle + kStep * static_cast<double>(s - most));
            here[s] += kOutside * std::max(0.0, off + spans[l].half - spans[l].room) + kOffAxis * off;
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
        for (std::ptrdiff_t above = s - kFarthest; above <= s + kFarthest; ++above)
            if (at(l - 1)[above] + jog(lines[l], above - s) < at(l - 1)[best] + jog(lines[l], best - s))
                best = above;
        s = best;
    }
}

} // namespace tilewright::layered
