// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layer_graph.h"

#include <algorithm>
#include <cmath>

namespace tilewright::layered {

namespace {

constexpr int kSweeps = 26;
constexpr int kRailSweep =
    18; // first sweep in which long vertical lines stay fixed and attract other vertices
// Pull of the previous position (the link between two nodes has weight 1).
constexpr double kAnchorWeight = 12;
constexpr double kGroupPull = 0.4; // pull of the middle of the group
// Pull of a leaf on its neighbour; low, because the leaf can follow the neighbour.
constexpr double kLeafWeight = 0.15;
constexpr double kCentrePull = 0.1; // pull of the middle of the drawing, which prevents sideways drift
constexpr std::size_t kRailLength =
    5; // least number of layers of a rail, a long vertical line that attracts other vertices
constexpr double kRailWeight = 12;
constexpr double kPortWeight =
    1e-3; // pull of the current position; only matters for a vertex without any other pull

/// Least-squares positions z with z[i] - z[i - 1] >= separation[i]: isotonic regression by the
/// pool-adjacent-violators algorithm.
class Isotonic
{
public:
    void solve(std::span<const double> wish, std::span<const double> weight,
               std::span<const double> separation, std::span<double> out)
    {
        m_blocks.clear();
        double offset = 0;
        for (std::size_t i = 0; i < wish.size(); ++i) {
            offset += i == 0 ? 0 : separation[i];
            Block block{(wish[i] - offset) * weight[i], weight[i], 1};
            while (!m_blocks.empty() &&
                   m_blocks.back().sum * block.weight >= block.sum * m_blocks.back().weight) {
                block.sum += m_blocks.back().sum;
                block.weight += m_blocks.back().weight;
                block.count += m_blocks.back().count;
                m_blocks.pop_back();
            }
            m_blocks.push_back(block);
        }
        std::size_t i = 0;
        offset = 0;
        for (const Block& block : m_blocks)
            for (std::size_t j = 0; j < block.count; ++j, ++i) {
                offset += i == 0 ? 0 : separation[i];
                out[i] = block.sum / block.weight + offset;
            }
    }

private:
    struct Block
    {
        double sum;
        double weight;
        std::size_t count;
    };
    std::vector<Block> m_blocks;
};

/// Removes small jogs. Vertices that prefer each other as neighbours form chains. Each chain gets as few
/// different x as the gaps beside it allow. All separations are kept.
class Straightener
{
public:
    Straightener(const LayerGraph& g, const Order& order, const std::vector<std::vector<double>>& separation,
                 std::vector<double>& x)
        : m_g(g), m_order(order), m_separation(separation), m_x(x), m_index(x.size())
    {
        for (const auto& layer : order)
            for (std::size_t i = 0; i < layer.size(); ++i)
                m_index[layer[i]] = i;
    }

    void run()
    {
        std::vector<int> child(m_x.size(), -1), parent(m_x.size(), -1);
        for (int v = 0; v < m_g.vertexCount(); ++v) {
            child[v] = preferredNeighbour(v, m_g.down[v]);
            parent[v] = preferredNeighbour(v, m_g.up[v]);
        }
        std::vector<std::vector<int>> chains;
        for (const auto& layer : m_order)
            for (int v : layer) {
                const bool inside = parent[v] >= 0 && child[parent[v]] == v;
                if (inside)
                    continue;
                std::vector<int> chain{v};
                for (int w = child[v]; w >= 0 && parent[w] == chain.back(); w = child[w])
                    chain.push_back(w);
                if (chain.size() > 1)
                    chains.push_back(std::move(chain));
            }
        std::stable_sort(chains.begin(), chains.end(),
                         [](const auto& a, const auto& b) { return a.size() > b.size(); });
        for (int pass = 0; pass < 2; ++pass)
            for (const auto& chain : chains)
                straighten(chain);
        m_chains = std::move(chains);
    }

    /// x of the vertices on long vertical lines; NaN for all others. Other vertices are attracted by these
    /// lines.
    [[nodiscard]] std::vector<double> rails() const
    {
        std::vector<double> out(m_x.size(), std::nan(""));
        for (const auto& chain : m_chains)
            for (std::size_t first = 0, i = 1; i <= chain.size(); ++i) {
                if (i < chain.size() && std::abs(m_x[chain[i]] - m_x[chain[first]]) < 0.5)
                    continue;
                const auto dummies = std::count_if(chain.begin() + static_cast<std::ptrdiff_t>(first),
                                                   chain.begin() + static_cast<std::ptrdiff_t>(i),
                                                   [&](int v) { return !m_g.isNode(v); });
                if (i - first >= kRailLength && 2 * static_cast<std::size_t>(dummies) >= i - first)
                    for (std::size_t k = first; k < i; ++k)
                        out[chain[k]] = m_x[chain[k]];
                first = i;
            }
        return out;
    }

private:
    /// The neighbour with which `v` should be aligned: a dummy rather than a node, then the nearest one; -1
    /// if there is none.
    int preferredNeighbour(int v, std::span<const Link> links) const
    {
        int best = -1;
        double bestPrice = 0;
        for (const Link& link : links) {
            if (link.virtualLink)
                continue;
            const bool line = !m_g.isNode(v) && !m_g.isNode(link.to);
            const double price = std::abs(m_x[v] - m_x[link.to]) - (line ? 1e6 : 0) +
                                 (isLeaf(m_g, link.to) ? 400 : 0) - (link.weight > 1 ? 100 : 0) +
                                 (m_g.isNode(link.to) ? 0 : -150);
            if (best < 0 || price < bestPrice) {
                best = link.to;
                bestPrice = price;
            }
        }
        return best;
    }

    [[nodiscard]] double low(int v) const
    {
        const std::size_t i = m_index[v];
        return i == 0 ? -1e12 : m_x[m_order[m_g.layer[v]][i - 1]] + m_separation[m_g.layer[v]][i];
    }
    [[nodiscard]] double high(int v) const
    {
        const auto& layer = m_order[m_g.layer[v]];
        const std::size_t i = m_index[v];
        return i + 1 == layer.size() ? 1e12 : m_x[layer[i + 1]] - m_separation[m_g.layer[v]][i + 1];
    }

    void straighten(const std::vector<int>& chain)
    {
        for (std::size_t first = 0; first < chain.size();) {
            double from = low(chain[first]), to = high(chain[first]);
            double sum = 0, total = 0;
            std::size_t end = first;
            for (; end < chain.size(); ++end) {
                const int v = chain[end];
                const double l = std::max(from, low(v)), h = std::min(to, high(v));
                if (l > h)
                    break;
                from = l;
                to = h;
                const double w = m_g.isNode(v) ? 3 : 1;
                sum += w * m_x[v];
                total += w;
            }
            if (end == first) // rounding left no room
                end = first + 1;
            else {
                const double x = std::clamp(sum / total, from, to);
                for (std::size_t i = first; i < end; ++i)
                    m_x[chain[i]] = x;
            }
            first = end;
        }
    }

    const LayerGraph& m_g;
    const Order& m_order;
    const std::vector<std::vector<double>>& m_separation;
    std::vector<double>& m_x;
    std::vector<std::size_t> m_index;
    std::vector<std::vector<int>> m_chains;
};

} // namespace

std::optional<Coordinates> placeVertices(const LayerGraph& g, const Order& order,
                                         std::span<const double> hints, const LayoutOptions& options,
                                         const Progress& progress)
{
    const auto n = static_cast<std::size_t>(g.vertexCount());
    Coordinates out;
    out.x.assign(n, 0);
    std::vector<double>& x = out.x;

    // Least distance between neighbours in a layer, including the padding of group outlines.
    std::vector<std::vector<double>> separation(order.size());
    for (std::size_t l = 0; l < order.size(); ++l) {
        double at = 0;
        for (std::size_t i = 0; i < order[l].size(); ++i) {
            const int v = order[l][i];
            double gap = 0;
            if (i > 0) {
                const int u = order[l][i - 1];
                const bool line = !g.isNode(u) || !g.isNode(v);
                gap = (g.width[u] + g.width[v]) / 2 + (line ? options.nodeGap / 2 : options.nodeGap);
                if (g.group[u] != g.group[v])
                    gap += options.groupPadding * ((g.group[u] >= 0 ? 1 : 0) + (g.group[v] >= 0 ? 1 : 0));
            }
            separation[l].push_back(gap);
            at += gap;
            x[v] = at;
        }
        for (int v : order[l]) // centred at first
            x[v] -= at / 2;
    }
    const bool anchored = std::any_of(hints.begin(), hints.end(), [](double h) { return !std::isnan(h); });
    const auto hint = [&](int v) { return v < static_cast<int>(hints.size()) ? hints[v] : std::nan(""); };
    if (anchored)
        for (int v = 0; v < g.vertexCount(); ++v)
            if (!std::isnan(hint(v)))
                x[v] = hint(v);

    // Long edges (chains of dummies) should be straight, and so should the two ends of an unbranched line.
    // Their links therefore pull more strongly than a link between two nodes.
    const auto branches = [&](int v) { return g.up[v].size() > 1 || g.down[v].size() > 1; };
    const auto linkWeight = [&](int u, int v) {
        if (g.isNode(u) && g.isNode(v))
            return 1.0;
        if (!g.isNode(u) && !g.isNode(v))
            return 8.0;
        return branches(g.isNode(u) ? v : u) ? 2.0 : 5.0;
    };
    Isotonic isotonic;
    std::vector<double> wish, weight, place;
    std::vector<double> groupMiddle(static_cast<std::size_t>(g.groupCount));
    std::vector<int> groupSize(static_cast<std::size_t>(g.groupCount));
    std::vector<double> rails;
    double centre = 0;
    const double centrePull = kCentrePull * std::min(1.0, 24.0 / static_cast<double>(order.size()));
    const auto relaxLayer = [&](const std::vector<int>& layer, std::span<const double> gaps, bool up,
                                bool down, bool groups) {
        wish.clear();
        weight.clear();
        for (int v : layer) {
            double sum = kPortWeight * x[v], total = kPortWeight;
            const auto add = [&](std::span<const Link> links) {
                for (const Link& link : links) {
                    const double w = linkWeight(v, link.to) * (link.weight > 1 ? 2 : 1) *
                                     (isLeaf(g, link.to) ? kLeafWeight : 1);
                    sum += w * x[link.to];
                    total += w;
                }
            };
            if (up)
                add(g.up[v]);
            if (down)
                add(g.down[v]);
            if (groups && g.group[v] >= 0) {
                sum += kGroupPull * groupMiddle[g.group[v]];
                total += kGroupPull;
            }
            sum += centrePull * centre;
            total += centrePull;
            if (!rails.empty() && !std::isnan(rails[v])) {
                sum += kRailWeight * rails[v];
                total += kRailWeight;
            }
            if (anchored && !std::isnan(hint(v))) {
                sum += kAnchorWeight * hint(v);
                total += kAnchorWeight;
            }
            wish.push_back(sum / total);
            weight.push_back(total);
        }
        place.resize(layer.size());
        isotonic.solve(wish, weight, gaps, place);
        for (std::size_t i = 0; i < layer.size(); ++i)
            x[layer[i]] = place[i];
    };
    const int layers = static_cast<int>(order.size());
    // Shifts all layers below a gap by the same distance, so that the median line in the gap becomes
    // vertical. All separations are kept. Without this step deep drawings would lean to one side.
    std::vector<std::pair<double, double>> offsets;
    const auto removeLean = [&] {
        double shift = 0;
        for (int l = 1; l < layers; ++l) {
            offsets.clear();
            double total = 0;
            for (int v : order[l])
                for (const Link& link : g.up[v]) {
                    if (isLeaf(g, link.to) || isLeaf(g, v))
                        continue;
                    const double w = linkWeight(v, link.to);
                    offsets.emplace_back(x[link.to] - shift - x[v],
                                         w); // the layer above is already shifted
                    total += w;
                }
            std::sort(offsets.begin(), offsets.end());
            double passed = 0;
            for (const auto& [lean, w] : offsets) {
                passed += w;
                if (passed >= total / 2) {
                    shift += lean;
                    break;
                }
            }
            for (int v : order[l])
                x[v] += shift;
        }
    };
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        if (progress.stopRequested())
            return std::nullopt;
        if (!anchored && (sweep == kRailSweep / 2 || sweep == kRailSweep))
            removeLean();
        if (!anchored && sweep == kRailSweep) {
            removeDrift(g, order, x);
            Straightener straightener(g, order, separation, x);
            straightener.run();
            rails = straightener.rails();
        }
        // One-sided sweeps spread positions quickly; the last, two-sided sweeps balance them.
        const bool both = sweep < kRailSweep ? sweep % 3 == 2 : sweep >= kRailSweep + 2;
        centre = 0;
        for (double at : x)
            centre += at / static_cast<double>(n);
        if (both && g.groupCount > 0) {
            std::fill(groupMiddle.begin(), groupMiddle.end(), 0);
            std::fill(groupSize.begin(), groupSize.end(), 0);
            for (int v = 0; v < g.vertexCount(); ++v)
                if (g.group[v] >= 0) {
                    groupMiddle[g.group[v]] += x[v];
                    ++groupSize[g.group[v]];
                }
            for (std::size_t i = 0; i < groupMiddle.size(); ++i)
                groupMiddle[i] /= std::max(1, groupSize[i]);
        }
        for (int i = 0; i < layers; ++i) {
            const int l = sweep % 2 == 0 ? i : layers - 1 - i;
            relaxLayer(order[l], separation[l], both || sweep % 2 == 0, both || sweep % 2 == 1, both);
        }
        progress.tell(0.8 + 0.15 * (sweep + 1) / kSweeps, "placing");
    }

    if (!anchored)
        removeDrift(g, order, x);
    Straightener(g, order, separation, x).run();

    // Vertical positions: a layer is as tall as its tallest node. The gap between two layers grows with the
    // horizontal length of its lines.
    out.layerTop.resize(order.size());
    out.layerBottom.resize(order.size());
    double y = 0;
    for (std::size_t l = 0; l < order.size(); ++l) {
        double height = 0, reach = 0;
        int links = 0;
        for (int v : order[l]) {
            height = std::max(height, g.height[v]);
            for (const Link& link : g.down[v]) {
                reach += std::min(1500.0, std::abs(x[v] - x[link.to]));
                ++links;
            }
        }
        out.layerTop[l] = y;
        out.layerBottom[l] = y + height;
        const double far = links == 0 ? 0 : std::max(0.0, reach / links - 100);
        y += height + options.layerGap * (1 + std::min(1.0, far / 500));
    }
    return out;
}

namespace {

constexpr std::size_t kMinLayers = 24; // drawings with fewer layers do not drift far
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
