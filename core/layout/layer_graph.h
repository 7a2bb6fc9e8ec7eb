// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layout.h"

#include <span>
#include <vector>

namespace tilewright::layered {

/// Part of a vertex's neighbourhood in the layer above or below.
struct Link
{
    int to = 0;
    int weight = 1;           ///< in crossings: how bad it is to cross this link
    bool virtualLink = false; ///< only keeps a group together, never drawn
};

/// Adjacency in one array.
class Links
{
public:
    void build(std::size_t vertices, std::span<const std::pair<int, Link>> pairs);
    [[nodiscard]] std::span<const Link> operator[](int v) const
    {
        const auto i = static_cast<std::size_t>(v);
        return {m_links.data() + m_first[i], m_links.data() + m_first[i + 1]};
    }

private:
    std::vector<std::size_t> m_first;
    std::vector<Link> m_links;
};

/// How an input edge runs through the proper layering.
struct Chain
{
    int top = -1;        ///< vertex where it starts (the target when reversed); -1 = not drawn
    int bottom = -1;     ///< vertex where it ends
    int firstDummy = -1; ///< dummies have consecutive numbers downwards
    int dummies = 0;
    bool reversed = false;
};

/// One connected component with every link between neighbouring layers only. Vertices 0..nodeCount-1 are the
/// component's nodes; the others are dummies of trunks or place holders of groups.
struct LayerGraph
{
    int nodeCount = 0;
    int layerCount = 0;
    std::vector<int> layer;
    std::vector<int> group; ///< of the vertex; -1 = none
    std::vector<double> width;
    std::vector<double> height;
    Links up;
    Links down;
    std::vector<Chain> chains; ///< per edge of the component
    int groupCount = 0;

    [[nodiscard]] int vertexCount() const noexcept { return static_cast<int>(layer.size()); }
    [[nodiscard]] bool isNode(int v) const noexcept { return v < nodeCount; }
};

/// A node with one neighbour, on one side: an input or output that follows its consumer or producer.
[[nodiscard]] inline bool isLeaf(const LayerGraph& g, int v)
{
    return g.isNode(v) && g.up[v].size() + g.down[v].size() == 1;
}

/// A component of the input, renumbered.
struct Component
{
    std::vector<std::uint32_t> nodes; ///< numbers in the input, ascending
    std::vector<std::uint32_t> edges; ///< numbers in the input, ascending
};
[[nodiscard]] std::vector<Component> components(const LayoutGraph& graph);

/// Breaks cycles, assigns layers, inserts dummies.
[[nodiscard]] LayerGraph buildLayers(const LayoutGraph& graph, const Component& component);

using Order = std::vector<std::vector<int>>; ///< per layer, from left to right

/// Number of crossings between neighbouring layers; `weighted` multiplies by the links' weights.
[[nodiscard]] std::int64_t countCrossings(const LayerGraph& g, const Order& order, bool weighted);

/// Order with few crossings in which the vertices of a group are neighbours in every layer. With `hints`
/// (x of each vertex's last position, NaN = unknown) the order stays near them. Nothing when stopped.
[[nodiscard]] std::optional<Order> orderLayers(const LayerGraph& g, std::span<const double> hints,
                                               const LayoutOptions& options, const Progress& progress);

/// Shifts whole layers sideways, so that a deep drawing, which wanders, stays in a strip hardly wider than
/// its widest layers: where few lines are led aside by it, and in steps, so that none leaps. `x` are centres.
void removeDrift(const LayerGraph& g, const Order& order, std::vector<double>& x);

/// Centres: x of each vertex; y is that of its layer.
struct Coordinates
{
    std::vector<double> x;
    std::vector<double> layerTop;
    std::vector<double> layerBottom;
};
[[nodiscard]] std::optional<Coordinates> placeVertices(const LayerGraph& g, const Order& order,
                                                       std::span<const double> hints,
                                                       const LayoutOptions& options,
                                                       const Progress& progress);

} // namespace tilewright::layered
