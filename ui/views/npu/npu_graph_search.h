// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/npu/npu_graph_model.h"

namespace tilewright::ui {

/// An operator, or one of its nodes.
struct NpuGraphHit
{
    std::size_t group = 0;
    std::uint32_t node = npu::kNone; ///< none: the whole operator
};

/// What a text finds in the tile graph.
struct NpuGraphFound
{
    std::vector<NpuGraphHit> hits; ///< operators first, then nodes by number
    std::vector<bool> groups;      ///< per group: has a hit
    std::vector<bool> nodes;       ///< per node: is a hit, or of an operator that is one
};

/// `text` is a part of an operator's name, a node's number ("17", "node 17"), or a tile as the pictures write
/// it, or a part of that from its beginning on ("scores", "q[0:64"): then the nodes that read or write it.
[[nodiscard]] NpuGraphFound findInNpuGraph(const NpuGraphModel& model, const QString& text);

} // namespace tilewright::ui
