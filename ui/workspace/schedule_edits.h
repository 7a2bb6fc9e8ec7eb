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

// Edits of core/edit applied to the selection. Each makes one undo step, selects its result, and returns true
// if anything changed. Refusals are announced by Document::refused(). Subgraphs that gain or lose ops get new
// granularities (edit/fit.h).

[[nodiscard]] EditOptions editOptions(const Rules& rules, bool force = false);

/// Selected ops, or the ops of the selected subgraphs; empty if nothing is selected.
[[nodiscard]] std::vector<OpId> selectedOps(const Document& document, const Selection& selection);
[[nodiscard]] std::vector<SubgraphId> selectedSubgraphs(const Selection& selection);

/// Schedule with the selected ops or subgraphs in one subgraph, as fuseSelection() makes it. Error if fewer
/// than two are selected.
[[nodiscard]] Result<Schedule> fused(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     const SelectionState& selection);
bool fuseSelection(Document& document, Selection& selection);
bool splitSelection(Document& document, Selection& selection); ///< moves selected ops into a new subgraph
bool splitApartSelection(Document& document, Selection& selection);
bool duplicateSelection(Document& document, Selection& selection);
bool deleteSelection(Document& document, Selection& selection); ///< removes ops or subgraphs
/// Fuses the subgraph with the previous (-1) or next (+1) one.
bool mergeSelectionWith(Document& document, Selection& selection, int neighbour);
/// Moves the selected ops to the previous (-1) or next (+1) subgraph.
bool moveSelectionTo(Document& document, Selection& selection, int neighbour);
/// Moves the selected subgraphs by this number of places in the order of execution.
bool shiftSelection(Document& document, Selection& selection, int by);
bool reorderSubgraphs(Document& document, Selection& selection, const std::vector<SubgraphId>& rows,
                      std::size_t position);
bool toggleLock(Document& document, Selection& selection);
bool toggleRetain(Document& document, SubgraphId subgraph, TensorId tensor);
bool toggleRetainOfSelection(Document& document, Selection& selection);
bool setTraversalOfSelection(Document& document, Selection& selection, const Traversal& traversal);

/// Ops dragged onto a target in the graph. Also used to evaluate the result before the drop.
struct OpDrop
{
    std::vector<OpId> ops;
    std::optional<SubgraphId> from; ///< subgraph of the ops, if all are in the same one
    std::optional<SubgraphId> to;   ///< target; none = empty space: a new subgraph
    bool recompute = false;         ///< Ctrl: recompute the ops in the target instead of moving them
    bool force = false;             ///< Alt: drop even if the result is invalid
};
[[nodiscard]] Result<Schedule> scheduleAfter(const Document& document, const OpDrop& drop);
/// Schedule after the drop. Needs no Document, so that worker threads can call it.
[[nodiscard]] Result<Schedule> scheduleAfter(const Problem& problem, const Schedule& schedule,
                                             const Rules& rules, const OpDrop& drop);
/// Applies a drop. `judged`: the result, if it was already evaluated during the drag.
bool applyDrop(Document& document, Selection& selection, const OpDrop& drop, const SnapshotPtr& judged = {});

} // namespace tilewright::ui
