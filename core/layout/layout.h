// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// A point. Lengths have the unit of the node sizes; y grows downwards.
struct LayoutPoint
{
    double x = 0;
    double y = 0;
    bool operator==(const LayoutPoint&) const = default;
};

struct LayoutRect
{
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
    [[nodiscard]] double right() const noexcept { return x + width; }
    [[nodiscard]] double bottom() const noexcept { return y + height; }
    [[nodiscard]] LayoutPoint center() const noexcept { return {x + width / 2, y + height / 2}; }
    bool operator==(const LayoutRect&) const = default;
};

struct LayoutNode
{
    double width = 0;
    double height = 0;
    std::int32_t group = -1; ///< nodes of a group are kept together; -1 = no group
    /// Value of LayoutResult::anchors for this node in the current drawing; keeps the new drawing similar.
    std::optional<double> previous = {};
};

struct LayoutEdge
{
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    std::int32_t net = -1; ///< edges with the same source and net >= 0 (one tensor) share a trunk
    /// Value of LayoutResult::edgeAnchors for this edge in the current drawing; keeps the new drawing
    /// similar.
    std::vector<double> previous = {};
};

struct LayoutGraph
{
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges; ///< may have cycles (drawn upwards); a self-loop gets no route
};

struct LayoutOptions
{
    enum class Orientation : std::uint8_t { TopToBottom, LeftToRight };
    Orientation orientation = Orientation::TopToBottom;
    double nodeGap = 24;      ///< gap between neighbours in a layer
    double layerGap = 52;     ///< least gap between layers
    double groupPadding = 14; ///< distance from a node to the outline of its group
    /// Desired width / height. A drawing that is much too long in the direction of the edges is broken into
    /// columns (rows for LeftToRight), which are read like the columns of a newspaper. 0 = never broken.
    double aspect = 0;
    /// Number of columns of the current drawing (LayoutResult::columns), to keep it; 0 = chosen by `aspect`.
    int columns = 0;
    int restarts = 0;       ///< number of starts of the crossing minimisation; 0 = depends on the size
    std::uint64_t seed = 1; ///< seed of the perturbed starts
};

/// A chain of cubic Bézier curves: 3 n + 1 points (start, then two control points and an end per curve).
/// Empty = no route.
using LayoutRoute = std::vector<LayoutPoint>;

struct LayoutGroup
{
    /// Closed polygons in clockwise order, without repetition of the first point. A group has several if it
    /// spans columns. A polygon contains nodes of the group and no other nodes.
    std::vector<std::vector<LayoutPoint>> outlines;
    LayoutRect bounds;
};

struct LayoutResult
{
    std::vector<LayoutRect> nodes;
    std::vector<LayoutRoute> edges;
    std::vector<LayoutGroup> groups;  ///< indexed by LayoutNode::group; unused numbers have no outlines
    std::vector<std::int32_t> layers; ///< layer of each node, from 0 in the direction of the edges
    std::vector<double> anchors;      ///< position of each node, input for LayoutNode::previous
    std::vector<std::vector<double>> edgeAnchors; ///< positions of each edge, input for LayoutEdge::previous
    LayoutRect bounds;                            ///< bounds of nodes, routes and outlines; starts at (0, 0)
    std::int64_t crossings = 0;                   ///< crossings of trunk segments between neighbouring layers
    int columns = 1;                              ///< largest number of columns of a component
};

/// Draws a graph in layers (docs/design.md 6.1): cycle removal, layers by longest path with a pull towards
/// consumers, dummies for long edges, order by barycentre and transposition, x by isotonic regression. Has no
/// side effects and is deterministic. Returns nullopt if stopped through `progress`.
[[nodiscard]] std::optional<LayoutResult>
layeredLayout(const LayoutGraph& graph, const LayoutOptions& options = {}, const Progress& progress = {});

} // namespace tilewright
