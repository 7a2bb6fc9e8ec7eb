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

/// The edits of core/edit applied to what a person has selected: each makes one undo step and leaves the
/// selection on the result; a refusal is announced by Document::refused(). Subgraphs that gain or lose ops
/// are tiled anew (edit/retile.h). All return whether anything changed.

[[nodiscard]] EditOptions editOptions(const Rules& rules, bool force = false);

/// The selected ops, or the ops of the selected subgraphs; empty when nothing is selected.
[[nodiscard]] std::vector<OpId> selectedOps(const Document& document, const Selection& selection);
[[nodiscard]] std::vector<SubgraphId> selectedSubgraphs(const Selection& selection);

/// What fuseSelection() makes, needing no document: the selected ops, or the selected subgraphs, in one
/// subgraph. A refusal when that is fewer than two.
[[nodiscard]] Result<Schedule> fused(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     const SelectionState& selection);
bool fuseSelection(Document& document, Selection& selection);
bool splitSelection(Document& document, Selection& selection); ///< selected ops out of their subgraph
bool splitApartSelection(Document& document, Selection& selection);
bool duplicateSelection(Document& document, Selection& selection);
bool deleteSelection(Document& document, Selection& selection); ///< ops from their subgraph, or subgraphs
bool mergeSelectionWith(Document& document, Selection& selection, int neighbour); ///< -1 previous, +1 next
bool moveSelectionTo(Document& document, Selection& selection, int neighbour);    ///< ops to the neighbour
bool shiftSelection(Document& document, Selection& selection, int by);            ///< subgraphs up or down
bool reorderSubgraphs(Document& document, Selection& selection, const std::vector<SubgraphId>& rows,
                      std::size_t position);
bool toggleLock(Document& document, Selection& selection);
bool toggleRetain(Document& document, SubgraphId subgraph, TensorId tensor);
bool toggleRetainOfSelection(Document& document, Selection& selection);
bool setTraversalOfSelection(Document& document, Selection& selection, const Traversal& traversal);

// What a drag in the graph does, by target; also used to try it out before the drop.
struct OpDrop
{
    std::vector<OpId> ops;
    std::optional<SubgraphId> from; ///< where the drag began, when the ops are in one subgraph
    std::optional<SubgraphId> to;   ///< none = empty space: a new subgraph
    bool recompute = false;         ///< Ctrl: copies instead of moving
    bool force = false;             ///< Alt
};
[[nodiscard]] Result<Schedule> scheduleAfter(const Document& document, const OpDrop& drop);
/// Needs no document, so that a worker can call it.
[[nodiscard]] Result<Schedule> scheduleAfter(const Problem& problem, const Schedule& schedule,
                                             const Rules& rules, const OpDrop& drop);
/// `judged`: the evaluated schedule whose verdict the person has seen; without one the schedule is made here.
bool applyDrop(Document& document, Selection& selection, const OpDrop& drop, const SnapshotPtr& judged = {});

} // namespace tilewright::ui
