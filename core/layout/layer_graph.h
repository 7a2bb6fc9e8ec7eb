// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layout/layout.h"

#include <span>
#include <vector>

namespace tilewright::layered {

/// Link to a neighbour of a vertex in the layer above or below.
struct Link
{
    int to = 0;
    int weight = 1;           ///< weight of a crossing of this link
    bool virtualLink = false; ///< not drawn; only keeps a group together
};

/// Adjacency lists in one array.
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

/// Path of an input edge through the layers.
struct Chain
{
    int top = -1;        ///< start vertex (the target if reversed); -1 = not drawn
    int bottom = -1;     ///< end vertex
    int firstDummy = -1; ///< dummies have consecutive numbers from top to bottom
    int dummies = 0;
    bool reversed = false;
};

/// One connected component in which every link joins neighbouring layers. Vertices 0 to nodeCount - 1 are the
/// nodes of the component. The other vertices are dummies: points of trunks, or placeholders of groups.
struct LayerGraph
{
    int nodeCount = 0;
    int layerCount = 0;
    std::vector<int> layer;
    std::vector<int> group; ///< group of each vertex; -1 = none
    std::vector<double> width;
    std::vector<double> height;
    Links up;
    Links down;
    std::vector<Chain> chains; ///< per edge of the component
    int groupCount = 0;

    [[nodiscard]] int vertexCount() const noexcept { return static_cast<int>(layer.size()); }
    [[nodiscard]] bool isNode(int v) const noexcept { return v < nodeCount; }
};

/// True if the vertex is a node with a single neighbour: an input or output next to its consumer or producer.
[[nodiscard]] inline bool isLeaf(const LayerGraph& g, int v)
{
    return g.isNode(v) && g.up[v].size() + g.down[v].size() == 1;
}

/// A connected component of the input graph, with new numbers for its nodes and edges.
struct Component
{
    std::vector<std::uint32_t> nodes; ///< numbers in the input graph, ascending
    std::vector<std::uint32_t> edges; ///< numbers in the input graph, ascending
};
[[nodiscard]] std::vector<Component> components(const LayoutGraph& graph);

/// Layering of a component: breaks cycles, assigns layers and inserts dummies.
[[nodiscard]] LayerGraph buildLayers(const LayoutGraph& graph, const Component& component);

using Order = std::vector<std::vector<int>>; ///< per layer: its vertices from left to right

/// Number of crossings between neighbouring layers. With `weighted`, a crossing counts as the product of the
/// weights of its two links.
[[nodiscard]] std::int64_t countCrossings(const LayerGraph& g, const Order& order, bool weighted);

/// Returns an order with few crossings in which the vertices of a group are adjacent in every layer. `hints`:
/// previous x of each vertex (NaN = unknown); the order stays close to them. nullopt if stopped.
[[nodiscard]] std::optional<Order> orderLayers(const LayerGraph& g, std::span<const double> hints,
                                               const LayoutOptions& options, const Progress& progress);

/// Shifts whole layers sideways so that a deep drawing stays in a strip about as wide as its widest layers.
/// Shifts change in small steps, at layers with few lines. `x`: centres of the vertices, changed in place.
void removeDrift(const LayerGraph& g, const Order& order, std::vector<double>& x);

/// Positions of the vertices: x is the centre; y follows from the layer.
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
