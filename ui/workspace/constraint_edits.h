// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints of the solver (docs/rules/constraints.md) as edits: they are part of the schedule.
#pragma once

#include "base/result.h"
#include "solve/cost/constraints.h"
#include "workspace/document.h"
#include "workspace/selection.h"

#include <cstddef>

namespace tilewright::ui {

/// The constraints of the open schedule. The Error is one of the field `constraints` of its file.
[[nodiscard]] Result<ScheduleConstraints> constraintsOf(const Document& document);

// Each makes one undo step and returns true if anything changed. Refusals are announced by
// Document::refused().

bool keepTogether(Document& document, Selection& selection); ///< the selected ops
bool keepApart(Document& document, Selection& selection);    ///< the selected ops
bool alwaysRetain(Document& document, Selection& selection); ///< the selected tensor
bool neverRetain(Document& document, Selection& selection);  ///< the selected tensor
/// Every subgraph that runs an op of the selected one keeps its granularity.
bool keepTile(Document& document, Selection& selection);
/// Adds a constraint of tiles; it replaces that of the same ops.
bool setTiles(Document& document, const ScheduleConstraints::Tiles& tiles);
/// The constraint that keeps the tile of the selected subgraph, or that leaves the tiles of the selected ops,
/// or of all subgraphs, free; the present one of the same ops instead, if there is one. `ops` are in order.
[[nodiscard]] ScheduleConstraints::Tiles tilesOfSelection(const Document& document,
                                                          const Selection& selection);
/// Removes the constraint with this number.
bool removeConstraint(Document& document, std::size_t number);

} // namespace tilewright::ui
