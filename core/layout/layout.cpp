// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layout.h"

#include "layout/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {

namespace {

constexpr double kComponentGap = 48;
constexpr double kDefaultAspect = 1.6; // width / height of the arrangement of components

struct Box
{
    double left = std::numeric_limits<double>::max();
    double top = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    double bottom = std::numeric_limits<double>::lowest();
    void add(const LayoutPoint& p)
    {
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        top = std::min(top, p.y);
        bottom = std::max(bottom, p.y);
    }
    void add(const LayoutRect& r)
    {
        add(LayoutPoint{r.x, r.y});
        add(LayoutPoint{r.right(), r.bottom()});
    }
    [[nodiscard]] LayoutRect rect() const
    {
        return left > right ? LayoutRect{} : LayoutRect{left, top, right - left, bottom - top};
    }
};

/// The drawing of one component, from top to bottom.
struct Piece
{
    std::vector<LayoutRect> nodes;
    std::vector<LayoutRoute> edges;
    std::vector<LayoutGroup> groups;
    std::vector<std::int32_t> groupNumbers; // group numbers in the input graph
    std::vector<std::int32_t> layers;
    std::vector<double> anchors;
    std::vector<std::vector<double>> edgeAnchors;
    std::int64_t crossings = 0;
    int columns = 1;
    Box box;
};

template <typename F>
void forEachPoint(std::vector<LayoutRoute>& edges, std::vector<LayoutGroup>& groups, F&& f)
{
    for (LayoutRoute& route : edges)
        for (LayoutPoint& p : route)
            f(p);
    for (LayoutGroup& group : groups)
        for (auto& outline : group.outlines)
            for (LayoutPoint& p : outline)
                f(p);
}

std::optional<Piece> layOut(const LayoutGraph& graph, const layered::Component& component,
                            const LayoutOptions& options, const Progress& progress)
{
    using namespace layered;
    const LayerGraph g = buildLayers(graph, component);
    if (progress.stopRequested())
        return std::nullopt;
    std::vector<double> hints(g.layer.size(), std::nan(""));
    for (int v = 0; v < g.nodeCount; ++v)
        if (const auto& previous = graph.nodes[component.nodes[v]].previous)
            hints[v] = *previous;
    for (std::size_t e = 0; e < g.chains.size(); ++e) {
        const std::vector<double>& previous = graph.edges[component.edges[e]].previous;
        if (previous.size() == static_cast<std::size_t>(g.chains[e].dummies))
            for (std::size_t i = 0; i < previous.size(); ++i)
                hints[static_cast<std::size_t>(g.chains[e].firstDummy) + i] = previous[i];
    }
    const auto order = orderLayers(g, hints, options, progress);
    if (!order)
        return std::nullopt;
    auto at = placeVertices(g, *order, hints, options, progress);
    if (!at)
        return std::nullopt;

    Piece piece;
    piece.anchors.assign(at->x.begin(), at->x.begin() + g.nodeCount);
    for (const Chain& chain : g.chains) {
        const auto first = at->x.begin() + std::max(0, chain.firstDummy);
        piece.edgeAnchors.emplace_back(first, first + (chain.firstDummy < 0 ? 0 : chain.dummies));
    }
    const Columns columns = breakIntoColumns(g, *order, *at, options);
    for (int v = 0; v < g.nodeCount; ++v) {
        const double middle = (at->layerTop[g.layer[v]] + at->layerBottom[g.layer[v]]) / 2;
        piece.nodes.push_back({at->x[v] - g.width[v] / 2, middle - g.height[v] / 2, g.width[v], g.height[v]});
        piece.layers.push_back(g.layer[v]);
        piece.box.add(piece.nodes.back());
    }
    piece.edges = drawRoutes(g, *at, columns, options);
    piece.groups = drawOutlines(g, *order, *at, columns, options);
    piece.groupNumbers.assign(static_cast<std::size_t>(g.groupCount), -1);
    for (int v = 0; v < g.nodeCount; ++v)
        if (g.group[v] >= 0)
            piece.groupNumbers[g.group[v]] = graph.nodes[component.nodes[v]].group;
    piece.crossings = countCrossings(g, *order, false);
    piece.columns = columns.count();
    forEachPoint(piece.edges, piece.groups, [&](const LayoutPoint& p) { piece.box.add(p); });
    return piece;
}

/// Arranges the pieces in rows, in the order of their first nodes. Returns the upper left corner of each.
std::vector<LayoutPoint> arrange(const std::vector<Piece>& pieces, double aspect)
{
    double area = 0, widest = 0;
    for (const Piece& piece : pieces) {
        const LayoutRect r = piece.box.rect();
        area += (r.width + kComponentGap) * (r.height + kComponentGap);
        widest = std::max(widest, r.width);
    }
    const double limit = std::max(widest, std::sqrt(area * aspect));
    std::vector<LayoutPoint> corners;
    double x = 0, y = 0, rowHeight = 0;
    for (const Piece& piece : pieces) {
        const LayoutRect r = piece.box.rect();
        if (x > 0 && x + r.width > limit) {
            x = 0;
            y += rowHeight + kComponentGap;
            rowHeight = 0;
        }
        corners.push_back({x, y});
        x += r.width + kComponentGap;
        rowHeight = std::max(rowHeight, r.height);
    }
    return corners;
}

LayoutGraph transposed(LayoutGraph graph)
{
    for (LayoutNode& node : graph.nodes)
        std::swap(node.width, node.height);
    return graph;
}

void transpose(LayoutResult& result)
{
    for (LayoutRect& r : result.nodes)
        r = {r.y, r.x, r.height, r.width};
    forEachPoint(result.edges, result.groups, [](LayoutPoint& p) { std::swap(p.x, p.y); });
    for (LayoutGroup& group : result.groups)
        for (auto& outline : group.outlines)
            std::reverse(
                outline.begin(),
                outline.end()); // reversed, because the swap of x and y turns clockwise into counterclockwise
    std::swap(result.bounds.width, result.bounds.height);
}

} // namespace

std::optional<LayoutResult> layeredLayout(const LayoutGraph& graph, const LayoutOptions& options,
                                          const Progress& progress)
{
    const bool leftToRight = options.orientation == LayoutOptions::Orientation::LeftToRight;
    const LayoutGraph turned = leftToRight ? transposed(graph) : LayoutGraph{};
    const LayoutGraph& input = leftToRight ? turned : graph;

    const std::vector<layered::Component> components = layered::components(input);
    std::vector<Piece> pieces;
    for (std::size_t c = 0; c < components.size(); ++c) {
        Progress part = progress;
        if (progress.report)
            part.report = [&](double fraction, std::string_view phase) {
                progress.tell((static_cast<double>(c) + fraction) / static_cast<double>(components.size()),
                              phase);
            };
        auto piece = layOut(input, components[c], options, part);
        if (!piece)
            return std::nullopt;
        pieces.push_back(std::move(*piece));
    }

    LayoutResult result;
    result.nodes.resize(input.nodes.size());
    result.layers.resize(input.nodes.size());
    result.anchors.resize(input.nodes.size());
    result.edges.resize(input.edges.size());
    result.edgeAnchors.resize(input.edges.size());
    std::int32_t groups = 0;
    for (const LayoutNode& node : input.nodes)
        groups = std::max(groups, node.group + 1);
    result.groups.resize(static_cast<std::size_t>(groups));

    double aspect = options.aspect > 0 ? options.aspect : kDefaultAspect;
    if (leftToRight)
        aspect = 1 / aspect;
    const std::vector<LayoutPoint> corners = arrange(pieces, aspect);
    Box bounds;
    for (std::size_t c = 0; c < pieces.size(); ++c) {
        Piece& piece = pieces[c];
        const double dx = corners[c].x - piece.box.left, dy = corners[c].y - piece.box.top;
        forEachPoint(piece.edges, piece.groups, [&](LayoutPoint& p) {
            p.x += dx;
            p.y += dy;
            bounds.add(p);
        });
        for (std::size_t v = 0; v < piece.nodes.size(); ++v) {
            LayoutRect r = piece.nodes[v];
            r.x += dx;
            r.y += dy;
            bounds.add(r);
            result.nodes[components[c].nodes[v]] = r;
            result.layers[components[c].nodes[v]] = piece.layers[v];
            result.anchors[components[c].nodes[v]] = piece.anchors[v];
        }
        for (std::size_t e = 0; e < piece.edges.size(); ++e) {
            result.edges[components[c].edges[e]] = std::move(piece.edges[e]);
            result.edgeAnchors[components[c].edges[e]] = std::move(piece.edgeAnchors[e]);
        }
        for (std::size_t group = 0; group < piece.groups.size(); ++group)
            result.groups[static_cast<std::size_t>(piece.groupNumbers[group])] =
                std::move(piece.groups[group]);
        result.crossings += piece.crossings;
        result.columns = std::max(result.columns, piece.columns);
    }
    result.bounds = bounds.rect();
    if (leftToRight)
        transpose(result);
    for (LayoutGroup& group : result.groups) {
        Box box;
        for (const auto& outline : group.outlines)
            for (const LayoutPoint& p : outline)
                box.add(p);
        group.bounds = box.rect();
    }
    progress.tell(1, "done");
    return result;
}

} // namespace tilewright
