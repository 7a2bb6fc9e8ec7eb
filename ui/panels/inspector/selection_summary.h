// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"
#include "workspace/selection.h"

#include <QString>

#include <vector>

namespace tilewright::ui {

struct Theme;

/// The selected subgraphs and those that compute selected ops, in ascending order.
[[nodiscard]] std::vector<SubgraphId> concernedSubgraphs(const Schedule& schedule,
                                                         const SelectionState& selection);

/// True if the selection concerns several subgraphs; false if the current subgraph has all the selected ops.
[[nodiscard]] bool showsSeveral(const Schedule& schedule, const SelectionState& selection);

/// Rich text on several subgraphs together: their number; sum, minimum, mean and maximum of their costs;
/// share of the work; links ("subgraph:3", "op:5").
[[nodiscard]] QString selectionSummary(const Snapshot& snapshot, const SelectionState& selection,
                                       const Theme& theme);

/// "3 of its ops are selected: 24 % of all work". Empty if no ops are selected.
[[nodiscard]] QString selectedOpsText(const Snapshot& snapshot, const SelectionState& selection);

} // namespace tilewright::ui
