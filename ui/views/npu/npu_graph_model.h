// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of a run as data, and the search in it.
#pragma once

#include "layout/layout.h"
#include "workspace/npu_document.h"

#include <QRectF>

#include <set>

namespace tilewright::ui {

enum class NpuGraphColour { Core, State, Criticality };

/// The nodes of one operator: a box that is closed (a summary) or open (one cell per node).
struct NpuGraphGroup
{
    std::uint32_t op = 0;
    QString name;
    QString detail;                   ///< "96 MATMUL nodes in 12 chains"
    std::vector<std::uint32_t> nodes; ///< ascending
    npu::Cycle computeCycles = 0;
    std::int64_t bytes = 0;
    std::size_t critical = 0; ///< number of nodes on the critical path
    bool open = false;
    double width = 0, height = 0;
    int columns = 1;
    double cell = 16;
    int barColumns = 1, barRows = 1; ///< cells in the bar of the closed box
    QRectF rect;                     ///< in scene units, set by the layout
};

struct NpuGraphLink
{
    std::size_t from = 0, to = 0; ///< indices of the linked groups
    std::size_t edges = 0;        ///< number of dependencies between their nodes
    bool critical = false;        ///< the critical path uses this link
    LayoutRoute route;
};

/// The tile graph grouped by operator. Immutable after the layout.
struct NpuGraphModel
{
    NpuResultPtr result;
    std::vector<NpuGraphGroup> groups;
    std::vector<std::size_t> groupOf;   ///< group of each node
    std::vector<std::uint32_t> placeOf; ///< per node: index in its group's nodes
    std::vector<NpuGraphLink> links;
    QRectF bounds;

    /// Returns the rectangle of the node's cell. If the node's group is closed and too small at this scale to
    /// show cells, returns the rectangle of the group.
    [[nodiscard]] QRectF cellOf(std::uint32_t node, double scale = 0) const;
    [[nodiscard]] const NpuGraphGroup* groupAt(QPointF scene) const;
    /// The node at a point; in the bar of a closed group only if its cells are large enough at this scale.
    [[nodiscard]] std::optional<std::uint32_t> nodeAt(QPointF scene, double scale = 1) const;
};

/// The bar of a closed group: the classes of its nodes, or its nodes if it is drawn large enough.
[[nodiscard]] QRectF npuGroupBar(const NpuGraphGroup& group);
[[nodiscard]] QRectF npuBarCell(const NpuGraphGroup& group, std::size_t place);
[[nodiscard]] bool barShowsNodes(const NpuGraphGroup& group, double scale);

/// Height of a group's title, above its cells.
[[nodiscard]] double npuGroupTitleHeight();

/// Groups, links and the layered layout. `open`: operators whose nodes are shown. `aspect`: wanted width :
/// height. Null if stopped.
[[nodiscard]] std::shared_ptr<const NpuGraphModel> buildNpuGraph(const NpuResultPtr& result,
                                                                 const std::set<std::uint32_t>& open,
                                                                 double aspect,
                                                                 const Progress& progress = {});

/// Operators that are open at first: all operators of a small graph.
[[nodiscard]] std::set<std::uint32_t> initiallyOpen(const NpuResult& result);

/// Number of nodes of the group in each class of the colouring (cores, or node states).
[[nodiscard]] std::vector<std::size_t> classCounts(const NpuGraphModel& model, const NpuGraphGroup& group,
                                                   NpuGraphColour colour, npu::Cycle time);

/// A search hit: an operator, or one of its nodes.
struct NpuGraphHit
{
    std::size_t group = 0;
    std::uint32_t node = npu::kNone; ///< none: the whole operator
};

/// The search hits in the tile graph.
struct NpuGraphFound
{
    std::vector<NpuGraphHit> hits; ///< operators first, then nodes by number
    std::vector<bool> groups;      ///< per group: has a hit
    std::vector<bool> nodes;       ///< per node: is a hit, or belongs to an operator that is one
};

/// `text`: part of an operator's name; a node's number ("17", "node 17"); or the beginning of a tile as shown
/// in pictures ("scores", "q[0:64"), which finds the nodes that read or write the tile.
[[nodiscard]] NpuGraphFound findInNpuGraph(const NpuGraphModel& model, const QString& text);

} // namespace tilewright::ui
