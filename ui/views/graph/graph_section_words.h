// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "views/graph/graph_geometry.h"

namespace tilewright::ui {

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
