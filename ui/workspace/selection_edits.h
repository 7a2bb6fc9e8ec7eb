// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"
#include "workspace/document.h"
#include "workspace/selection.h"

#include <set>

namespace tilewright::ui {

/// `state` with these ops selected. Subgraphs that they cover wholly are selected too, else the one that
/// holds them all. The current subgraph stays if it is among these, else it is the first of them; ops
/// scattered over parts of several subgraphs leave it only when it holds one of them.
[[nodiscard]] SelectionState withOps(const Schedule& schedule, const SelectionState& state,
                                     std::set<OpId> ops);

/// `state`, whose subgraphs are places in `before`, for `after`: a subgraph is where most of its ops have
/// gone to; selected ops stay selected, with the subgraphs that have them now.
[[nodiscard]] SelectionState followed(const Schedule& before, const Schedule& after, SelectionState state);

void selectAllOps(const Document& document, Selection& selection);
/// The ops that are not selected; without selected ops, the subgraphs that are not selected.
void invertSelection(const Document& document, Selection& selection);
/// All ops of the subgraphs that hold a selected op, or of the selected subgraphs.
void selectSameSubgraph(const Document& document, Selection& selection);

} // namespace tilewright::ui
