// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "workspace/selection.h"

#include <QString>

#include <vector>

namespace tilewright::ui {

struct Theme;

/// The subgraphs a selection means: the ones selected, and those that compute selected ops. Ascending.
[[nodiscard]] std::vector<SubgraphId> concernedSubgraphs(const Schedule& schedule,
                                                         const SelectionState& selection);

/// Whether more than one subgraph is meant: not when the current one has all the selected ops.
[[nodiscard]] bool showsSeveral(const Schedule& schedule, const SelectionState& selection);

/// Several subgraphs together as rich text: count, sum, least, mean and most of what they cost, their share
/// of the work, links ("subgraph:3", "op:5") to each.
[[nodiscard]] QString selectionSummary(const Snapshot& snapshot, const SelectionState& selection,
                                       const Theme& theme);

/// "3 of its ops are selected: 24 % of all work"; empty without selected ops.
[[nodiscard]] QString selectedOpsText(const Snapshot& snapshot, const SelectionState& selection);

} // namespace tilewright::ui
