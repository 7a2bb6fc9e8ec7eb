// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/edits.h"
#include "workspace/document.h"
#include "workspace/selection.h"

#include <QString>

#include <optional>
#include <set>
#include <vector>

namespace tilewright::ui {

// Functions of core/edit applied to the selection. Each makes one undo step, selects its result, and returns
// true if anything changed. If the edit is refused, Document::refused() is emitted. Subgraphs that gain or
// lose ops get new granularities (edit/fit.h).

[[nodiscard]] EditOptions editOptions(const Rules& rules, bool force = false);

/// Returns the selected ops, or the ops of the selected subgraphs; empty if nothing is selected.
[[nodiscard]] std::vector<OpId> selectedOps(const Document& document, const Selection& selection);
[[nodiscard]] std::vector<SubgraphId> selectedSubgraphs(const Selection& selection);

/// Returns the schedule in which the selected ops or subgraphs form one subgraph, as fuseSelection() makes
/// it. Returns an Error if fewer than two are selected.
[[nodiscard]] Result<Schedule> fused(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     const SelectionState& selection);
bool fuseSelection(Document& document, Selection& selection);
bool splitSelection(Document& document, Selection& selection); ///< moves selected ops into a new subgraph
bool splitApartSelection(Document& document, Selection& selection);
bool duplicateSelection(Document& document, Selection& selection);
bool deleteSelection(Document& document, Selection& selection); ///< removes the selected ops or subgraphs
/// Fuses the selected subgraph with the previous (-1) or next (+1) one.
bool mergeSelectionWith(Document& document, Selection& selection, int neighbour);
/// Moves the selected ops to the previous (-1) or next (+1) subgraph.
bool moveSelectionTo(Document& document, Selection& selection, int neighbour);
/// Moves the selected subgraphs by this number of places in execution order.
bool shiftSelection(Document& document, Selection& selection, int by);
bool reorderSubgraphs(Document& document, Selection& selection, const std::vector<SubgraphId>& rows,
                      std::size_t position);
bool toggleLock(Document& document, Selection& selection);
bool toggleRetain(Document& document, SubgraphId subgraph, TensorId tensor);
bool toggleRetainOfSelection(Document& document, Selection& selection);
bool setTraversalOfSelection(Document& document, Selection& selection, const Traversal& traversal);

/// A drop of ops on a target in the graph. Also describes a drop whose effect is evaluated in advance.
struct OpDrop
{
    std::vector<OpId> ops;
    std::optional<SubgraphId> from; ///< the subgraph that the ops leave, if all of them are in the same one
    std::optional<SubgraphId> to;   ///< target subgraph; empty: empty space, i.e. a new subgraph
    bool recompute = false;         ///< Ctrl: recompute the ops in the target instead of moving them
    bool force = false;             ///< Alt: drop even if the result is invalid
};
[[nodiscard]] Result<Schedule> scheduleAfter(const Document& document, const OpDrop& drop);
/// Returns the schedule after a drop. It needs no Document, so that worker threads can call it.
[[nodiscard]] Result<Schedule> scheduleAfter(const Problem& problem, const Schedule& schedule,
                                             const Rules& rules, const OpDrop& drop);
/// Applies a drop. `judged`: evaluated schedule after the drop, if it is known from the drag.
bool applyDrop(Document& document, Selection& selection, const OpDrop& drop, const SnapshotPtr& judged = {});

} // namespace tilewright::ui
