// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the constraints of the solver (docs/rules/constraints.md), which are part of the schedule.
#pragma once

#include "base/result.h"
#include "solve/cost/constraints.h"
#include "workspace/document.h"
#include "workspace/selection.h"

#include <cstddef>

namespace tilewright::ui {

/// Returns the constraints of the open schedule. An Error refers to the field `constraints` of its file.
[[nodiscard]] Result<ScheduleConstraints> constraintsOf(const Document& document);

// Each of these functions makes one undo step and returns true if anything changed. If the edit is refused,
// Document::refused() is emitted.

/// Requires that the selected ops run in the same subgraphs.
bool keepTogether(Document& document, Selection& selection);
/// Requires that the selected ops run in different subgraphs.
bool keepApart(Document& document, Selection& selection);
/// Requires that the selected tensor is retained.
bool alwaysRetain(Document& document, Selection& selection);
bool neverRetain(Document& document, Selection& selection); ///< forbids to retain the selected tensor
/// Requires that every subgraph with an op of the selected subgraph keeps the granularity of the selected
/// one.
bool keepTile(Document& document, Selection& selection);
/// Adds a constraint on tiles; it replaces an existing constraint on the same ops.
bool setTiles(Document& document, const ScheduleConstraints::Tiles& tiles);
/// Returns the constraint on tiles to edit for the selection. For a selected subgraph it fixes the subgraph's
/// tile; for selected ops, or for all subgraphs, it leaves the tiles free. If the schedule has a constraint
/// on the same ops, returns that one. `ops` are in ascending order.
[[nodiscard]] ScheduleConstraints::Tiles tilesOfSelection(const Document& document,
                                                          const Selection& selection);
/// Removes the constraint with this number in the list of constraints.
bool removeConstraint(Document& document, std::size_t number);

} // namespace tilewright::ui
