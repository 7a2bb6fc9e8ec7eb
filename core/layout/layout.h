// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// All lengths are in the units of the node sizes; y grows downwards.
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
    std::int32_t group = -1;             ///< nodes of one group are kept together; -1 = in none
    std::optional<double> previous = {}; ///< LayoutResult::anchors of the drawing on screen, for stability
};

struct LayoutEdge
{
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    std::int32_t net = -1; ///< edges of one source with the same net >= 0 (one tensor) share a trunk
    std::vector<double> previous = {}; ///< LayoutResult::edgeAnchors of the drawing on screen, for stability
};

struct LayoutGraph
{
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges; ///< cycles are allowed (drawn upwards); an edge to itself gets no route
};

struct LayoutOptions
{
    enum class Orientation : std::uint8_t { TopToBottom, LeftToRight };
    Orientation orientation = Orientation::TopToBottom;
    double nodeGap = 24;      ///< between neighbours of a layer
    double layerGap = 52;     ///< between layers, at least
    double groupPadding = 14; ///< from a node to the outline of its group
    /// Wanted width : height. A drawing that is much longer in the direction of the edges is broken into
    /// columns (rows when left to right), read like columns of a newspaper; 0 never breaks.
    double aspect = 0;
    int columns = 0;  ///< this many instead of a choice by `aspect` (LayoutResult::columns, for stability)
    int restarts = 0; ///< starts of the crossing minimisation; 0 = by size
    std::uint64_t seed = 1; ///< of the perturbed starts
};

/// A chain of cubic Béziers: 3 n + 1 points (start, then control, control, end); empty = no route.
using LayoutRoute = std::vector<LayoutPoint>;

struct LayoutGroup
{
    /// Closed polygons, clockwise, without the closing point; several when the group spans columns. A polygon
    /// contains the group's nodes and no other node.
    std::vector<std::vector<LayoutPoint>> outlines;
    LayoutRect bounds;
};

struct LayoutResult
{
    std::vector<LayoutRect> nodes;
    std::vector<LayoutRoute> edges;
    std::vector<LayoutGroup> groups;              ///< index = LayoutNode::group; empty outlines when unused
    std::vector<std::int32_t> layers;             ///< of each node, from 0 in the direction of the edges
    std::vector<double> anchors;                  ///< of each node, to be given back as LayoutNode::previous
    std::vector<std::vector<double>> edgeAnchors; ///< of each edge, as LayoutEdge::previous
    LayoutRect bounds;                            ///< of nodes, routes and outlines; starts at (0, 0)
    std::int64_t crossings = 0;                   ///< of trunk segments between neighbouring layers
    int columns = 1; ///< largest number of columns into which a component was broken
};

/// Layered drawing: cycles broken, layers by longest path with pull towards consumers, long edges through
/// dummies, order by barycentre and transposition, x by isotonic regression (docs/design.md 6.1).
/// Pure and deterministic. Nothing when stopped through `progress`.
[[nodiscard]] std::optional<LayoutResult>
layeredLayout(const LayoutGraph& graph, const LayoutOptions& options = {}, const Progress& progress = {});

} // namespace tilewright
