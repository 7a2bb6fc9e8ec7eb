// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "views/graph/graph_geometry.h"
#include "views/graph/graph_model.h"
#include "workspace/selection.h"

namespace tilewright::ui {

// Functions that choose what is drawn and what is drawn as a card. Each returns a changed GraphShape.

/// Changes whether the subgraph with these ops is drawn as one card.
[[nodiscard]] GraphShape withSubgraph(GraphShape shape, const std::vector<OpId>& ops, bool collapsed,
                                      const GraphGeometry* geometry);
/// Returns the ops that are visible after the card at `node` is opened. If the card stands for equal blocks,
/// these are the ops of the block that contains `wanted`, otherwise those of the first block.
[[nodiscard]] std::vector<OpId> opsToOpen(const GraphGeometry& geometry, std::size_t node,
                                          std::optional<OpId> wanted);
/// Opens the card of several subgraphs, or the block, that contains these ops.
[[nodiscard]] GraphShape withSectionOpened(GraphShape shape, const GraphGeometry& geometry,
                                           const std::vector<OpId>& ops);
/// Draws the card again that was opened to show `op`.
[[nodiscard]] GraphShape withSectionClosed(GraphShape shape, const GraphModel& model, OpId op);
/// Draws each block of the repetition that contains the op as its own card, or all blocks as one card again.
[[nodiscard]] GraphShape withBlocksSpread(GraphShape shape, const GraphGeometry& geometry, OpId op);
/// Draws all subgraphs as cards, or none. In a large graph this also sets whether cards are made
/// automatically.
[[nodiscard]] GraphShape withAll(GraphShape shape, const Problem& problem, const Schedule& schedule,
                                 bool collapsed);
[[nodiscard]] GraphShape withCards(GraphShape shape, bool on);
/// Sets whether repeating blocks are cards. `part`: the setting for large graphs or the one for small graphs.
[[nodiscard]] GraphShape withBlocks(GraphShape shape, bool GraphShape::*part, bool on);
/// Shows only the ops within `hops` of the selection; all ops for 0 hops or an empty selection.
[[nodiscard]] GraphShape withNeighbourhood(GraphShape shape, const Problem* problem, const Schedule& schedule,
                                           const SelectionState& selection, int hops);

/// Texts on a card of several subgraphs.
struct SectionWords
{
    QString title;
    QString brief; ///< shorter title, used if the title does not fit
    QString detail;
    QString latency;             ///< empty if a latency is unknown
    QString alike;               ///< text on whether equal blocks have equal schedules
    std::vector<SubgraphId> bar; ///< subgraphs in the bar; for equal blocks, those of the first block
    std::vector<OpId> barOps;    ///< ops in the bar; for equal blocks, those of the first block
};
[[nodiscard]] SectionWords sectionWords(const GraphGeometry& geometry, const Snapshot& snapshot,
                                        const GraphSection& section);

} // namespace tilewright::ui
