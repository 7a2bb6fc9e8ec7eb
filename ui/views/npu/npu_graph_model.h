// SPDX-License-Identifier: GPL-3.0-or-later
// The tile graph of a run as data, and the search in it.
#pragma once

#include "layout/layout.h"
#include "workspace/npu_document.h"

#include <QRectF>

#include <set>

namespace tilewright::ui {

enum class NpuGraphColour { Core, State, Criticality };

/// All nodes of one operator. The group is drawn as a box, which is closed (a summary) or open (one cell per
/// node).
struct NpuGraphGroup
{
    std::uint32_t op = 0;
    QString name;
    QString detail;                   ///< "96 MATMUL nodes in 12 chains"
    std::vector<std::uint32_t> nodes; ///< nodes in ascending order
    npu::Cycle computeCycles = 0;
    std::int64_t bytes = 0;
    std::size_t critical = 0; ///< number of nodes on the critical path
    bool open = false;
    double width = 0, height = 0;
    int columns = 1;
    double cell = 16;
    int barColumns = 1, barRows = 1; ///< number of columns and rows of cells in the bar of a closed box
    QRectF rect;                     ///< in scene units, set by the layout
};

struct NpuGraphLink
{
    std::size_t from = 0, to = 0; ///< indices of the two groups
    std::size_t edges = 0;        ///< number of dependencies between nodes of the two groups
    bool critical = false;        ///< true if the critical path uses this link
    LayoutRoute route;
};

/// The tile graph grouped by operator. Immutable after the layout.
struct NpuGraphModel
{
    NpuResultPtr result;
    std::vector<NpuGraphGroup> groups;
    std::vector<std::size_t> groupOf;   ///< index of the group of each node
    std::vector<std::uint32_t> placeOf; ///< index of each node in the list of its group
    std::vector<NpuGraphLink> links;
    QRectF bounds;

    /// Returns the rectangle of the node's cell. If the node's group is closed and too small at this scale to
    /// show cells, returns the rectangle of the group.
    [[nodiscard]] QRectF cellOf(std::uint32_t node, double scale = 0) const;
    [[nodiscard]] const NpuGraphGroup* groupAt(QPointF scene) const;
    /// Returns the node at a point. In the bar of a closed group a node is found only if the cells are large
    /// enough at this scale.
    [[nodiscard]] std::optional<std::uint32_t> nodeAt(QPointF scene, double scale = 1) const;
};

/// Returns the rectangle of the bar of a closed group. The bar shows the numbers of nodes by class, or single
/// nodes if it is drawn large enough.
[[nodiscard]] QRectF npuGroupBar(const NpuGraphGroup& group);
[[nodiscard]] QRectF npuBarCell(const NpuGraphGroup& group, std::size_t place);
[[nodiscard]] bool barShowsNodes(const NpuGraphGroup& group, double scale);

/// Height of a group's title, above its cells.
[[nodiscard]] double npuGroupTitleHeight();

/// Builds groups, links and the layered layout. `open`: operators whose nodes are shown. `aspect`: desired
/// width : height. Null if stopped.
[[nodiscard]] std::shared_ptr<const NpuGraphModel> buildNpuGraph(const NpuResultPtr& result,
                                                                 const std::set<std::uint32_t>& open,
                                                                 double aspect,
                                                                 const Progress& progress = {});

/// Returns the operators that are open initially: in a small graph all of them.
[[nodiscard]] std::set<std::uint32_t> initiallyOpen(const NpuResult& result);

/// Returns the number of the group's nodes in each class of the colouring (cores or node states).
[[nodiscard]] std::vector<std::size_t> classCounts(const NpuGraphModel& model, const NpuGraphGroup& group,
                                                   NpuGraphColour colour, npu::Cycle time);

/// A search hit: an operator or one of its nodes.
struct NpuGraphHit
{
    std::size_t group = 0;
    std::uint32_t node = npu::kNone; ///< number of the node; kNone: the hit is the whole operator
};

/// All hits of a search in the tile graph.
struct NpuGraphFound
{
    std::vector<NpuGraphHit> hits; ///< hits: operators first, then nodes in ascending order
    std::vector<bool> groups;      ///< for each group, true if it has a hit
    std::vector<bool> nodes;       ///< for each node, true if it is a hit or its operator is a hit
};

/// Searches the tile graph. `text`: a part of an operator's name, or the number of a node ("17", "node 17"),
/// or the beginning of a tile as in pictures ("scores", "q[0:64"). The latter finds the nodes that read or
/// write the tile.
[[nodiscard]] NpuGraphFound findInNpuGraph(const NpuGraphModel& model, const QString& text);

} // namespace tilewright::ui
