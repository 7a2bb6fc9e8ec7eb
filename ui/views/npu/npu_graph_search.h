// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/npu/npu_graph_model.h"

namespace tilewright::ui {

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
