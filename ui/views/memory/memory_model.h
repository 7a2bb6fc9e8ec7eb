// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "document/selection.h"
#include "views/memory/timeline.h"

namespace tilewright::ui {

/// What the memory timeline shows, besides the visible range and the mouse.
struct MemoryModel
{
    QString hint;  ///< instead of a picture
    QString title; ///< "Peak 49 152 of 250 000 elements in subgraph 4"
    bool overflows = false;
    std::int64_t capacity = 0;
    std::shared_ptr<const Timeline> timeline; ///< null while it is being computed
    std::shared_ptr<const Timeline> baseline; ///< the ghost; may be null
    double total = 0;                         ///< end of the time axis: the longer of both
    double cursor = 0;                        ///< the pinned time
    bool pinned = false;                      ///< false: the cursor stands at the peak
    std::optional<SubgraphId> subgraph;       ///< the current one
    std::optional<Residents> residents;       ///< at the cursor
};

[[nodiscard]] MemoryModel buildMemory(const Snapshot* snapshot, const SelectionState& selection,
                                      std::shared_ptr<const Timeline> timeline,
                                      std::shared_ptr<const Timeline> baseline);

/// Where the linked cursor stands: at the selected time when it lies in the selected step, otherwise at the
/// start of that step.
[[nodiscard]] std::optional<double> cursorTime(const Timeline& timeline, const SelectionState& selection);

[[nodiscard]] QString residentKindText(ResidentItem::Kind kind);
[[nodiscard]] QString residentsTooltip(const Residents& residents, const Timeline& timeline,
                                       std::int64_t capacity);
/// Tab-separated, one line a resident at the cursor.
[[nodiscard]] QString residentsAsText(const Residents& residents);

} // namespace tilewright::ui
