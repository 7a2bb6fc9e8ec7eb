// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/contents.h"
#include "views/memory/tensor_track.h"
#include "workspace/selection.h"

namespace tilewright::ui {

/// What the memory timeline shows, besides the visible range and the mouse.
struct MemoryModel
{
    QString hint;  ///< instead of a picture
    QString title; ///< "Peak 49 152 of 250 000 elements in subgraph 4", or where the selected tensor is
    bool overflows = false;
    std::int64_t capacity = 0;
    std::shared_ptr<const Timeline> timeline; ///< null while it is being computed
    std::shared_ptr<const Timeline> baseline; ///< the ghost; may be null
    std::shared_ptr<const TensorTrack> track; ///< the selected tensor; may be null
    double total = 0;                         ///< end of the time axis: the longer of both
    double cursor = 0;                        ///< the pinned time
    bool pinned = false;                      ///< false: the cursor stands at the peak
    std::optional<SubgraphId> subgraph;       ///< the current one
    std::optional<MemoryContents> contents;   ///< at the cursor
    std::optional<RangeSummary> range;        ///< of what is being measured
};

/// `previous`: its track is taken when it follows the same tensor through the same timeline.
[[nodiscard]] MemoryModel buildMemory(const Snapshot* snapshot, const SelectionState& selection,
                                      std::shared_ptr<const Timeline> timeline,
                                      std::shared_ptr<const Timeline> baseline,
                                      const MemoryModel& previous = {});

/// Where the linked cursor stands: at the selected time when it lies in the selected step, otherwise at the
/// start of that step.
[[nodiscard]] std::optional<double> cursorTime(const Timeline& timeline, const SelectionState& selection);

/// "37 steps in subgraphs 2–4".
[[nodiscard]] QString rangeStepsText(const RangeSummary& range);
/// Tab-separated: a line a value, with sum, smallest, mean and largest.
[[nodiscard]] QString rangeAsText(const RangeSummary& range);

} // namespace tilewright::ui
