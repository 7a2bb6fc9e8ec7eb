// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"
#include "workspace/document.h"
#include "workspace/selection.h"

#include <set>

namespace tilewright::ui {

/// `state` with these ops selected. Also selects the subgraphs all of whose ops are selected, otherwise the
/// one that contains all these ops. The current subgraph is kept if it is one of those, otherwise it becomes
/// the first of them. If there are none, it is kept only if it contains one of the ops.
[[nodiscard]] SelectionState withOps(const Schedule& schedule, const SelectionState& state,
                                     std::set<OpId> ops);

/// Converts a selection in schedule `before` into one in schedule `after`: a subgraph becomes the one that
/// has most of its ops. Selected ops stay selected, with the subgraphs that contain them in `after`.
[[nodiscard]] SelectionState followed(const Schedule& before, const Schedule& after, SelectionState state);

void selectAllOps(const Document& document, Selection& selection);
/// Selects the ops that are not selected or, if no ops are selected, the subgraphs that are not selected.
void invertSelection(const Document& document, Selection& selection);
/// Selects all ops of the subgraphs that contain a selected op, or of the selected subgraphs.
void selectSameSubgraph(const Document& document, Selection& selection);

} // namespace tilewright::ui
