// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "views/graph/graph_geometry.h"
#include "views/graph/graph_model.h"
#include "workspace/selection.h"

namespace tilewright::ui {

// What is drawn as cards and what is drawn at all: each of these is one change of the shape.

/// The subgraph of these ops as one card, or its ops.
[[nodiscard]] GraphShape withSubgraph(GraphShape shape, const std::vector<OpId>& ops, bool collapsed,
                                      const GraphGeometry* geometry);
/// What opens of the card of several subgraphs at `node`: all of it, or of equal blocks the one with the
/// wanted op, else the first.
[[nodiscard]] std::vector<OpId> opsToOpen(const GraphGeometry& geometry, std::size_t node,
                                          std::optional<OpId> wanted);
/// The card of several subgraphs, or the block, opened that these ops are in.
[[nodiscard]] GraphShape withSectionOpened(GraphShape shape, const GraphGeometry& geometry,
                                           const std::vector<OpId>& ops);
/// The card closed again that `op` came from.
[[nodiscard]] GraphShape withSectionClosed(GraphShape shape, const GraphModel& model, OpId op);
/// The blocks of the repetition that the op is part of each on a card of its own, or on one card again.
[[nodiscard]] GraphShape withBlocksSpread(GraphShape shape, const GraphGeometry& geometry, OpId op);
/// All subgraphs as cards, or none; of a large graph, whether they are cards by themselves.
[[nodiscard]] GraphShape withAll(GraphShape shape, const Problem& problem, const Schedule& schedule,
                                 bool collapsed);
[[nodiscard]] GraphShape withCards(GraphShape shape, bool on);
/// `part`: of large graphs or of small ones.
[[nodiscard]] GraphShape withBlocks(GraphShape shape, bool GraphShape::*part, bool on);
/// Only what is near the selection; everything for 0 hops or nothing selected.
[[nodiscard]] GraphShape withNeighbourhood(GraphShape shape, const Problem* problem, const Schedule& schedule,
                                           const SelectionState& selection, int hops);

/// What stands on the card of several subgraphs.
struct SectionWords
{
    QString title;
    QString brief; ///< where the title finds no room
    QString detail;
    QString latency;             ///< empty where one is unknown
    QString alike;               ///< of several equal blocks: whether they are scheduled alike
    std::vector<SubgraphId> bar; ///< those the bar shows: of equal blocks the ones of the first
    std::vector<OpId> barOps;    ///< likewise
};
[[nodiscard]] SectionWords sectionWords(const GraphGeometry& geometry, const Snapshot& snapshot,
                                        const GraphSection& section);

} // namespace tilewright::ui
