// SPDX-License-Identifier: GPL-3.0-or-later
// The memory timeline as data: contents of fast memory at a time, and all tensors over time.
#pragma once

#include "views/memory/timeline.h"
#include "workspace/selection.h"

#include <QString>

namespace tilewright::ui {

/// An item in fast memory at one time.
struct ContentItem
{
    enum class Kind { Resident, Retained, Input, Interior, Accumulator, Output, Donated };
    Kind kind = Kind::Input;
    TensorId tensor;
    QString name;
    QString detail;
    std::int64_t elements = 0; ///< size in units (R1.9); negative for donated memory
};

/// All items in fast memory during one step.
struct MemoryContents
{
    std::size_t part = 0;
    std::int64_t step = 0;
    double start = 0, end = 0;      ///< start and end of the step, since the start of the schedule
    std::int64_t total = 0;         ///< the working set, which is the sum of the items
    HaloVolume halo;                ///< parts of the inputs and interior slices (R1.8)
    std::vector<ContentItem> items; ///< items by kind, then by size
};
[[nodiscard]] MemoryContents contentsOf(const Timeline& timeline, std::size_t part, std::int64_t step);
/// nullopt if it is not known.
[[nodiscard]] std::optional<MemoryContents> contentsAt(const Timeline& timeline, double time);

/// "halo 2 048 of the inputs, which other tiles load, too"; empty without a halo.
[[nodiscard]] QString haloText(const MemoryContents& contents, const Problem& problem);

[[nodiscard]] QString contentKindText(ContentItem::Kind kind);
[[nodiscard]] QString contentsTooltip(const MemoryContents& contents, const Timeline& timeline,
                                      std::int64_t capacity);
/// Tab-separated, one line per item.
[[nodiscard]] QString contentsAsText(const MemoryContents& contents, const Problem& problem);

/// The contents of the memory timeline, without visible range and mouse.
struct MemoryModel
{
    QString hint; ///< shown instead of the chart
    QString
        title; ///< "Peak 49 152 of 250 000 elements in subgraph 4", or the position of the selected tensor
    QString namePrefix; ///< common prefix of the names of all ops, left out in the list
    bool overflows = false;
    bool hasHalos = false; ///< some step holds a halo
    MemoryUse largest;     ///< of each kind, the most that a step holds: the legend names what is there
    std::int64_t capacity = 0;
    std::shared_ptr<const Timeline> timeline; ///< null while it is being computed
    std::shared_ptr<const Timeline> baseline; ///< the baseline; may be null
    std::shared_ptr<const TensorTrack> track; ///< track of the selected tensor; may be null
    double total = 0;                         ///< end of the time axis: the longer of both schedules
    double cursor = 0;                        ///< the pinned time
    bool pinned = false;                      ///< false: the cursor is at the peak
    std::optional<SubgraphId> subgraph;       ///< the current subgraph
    std::optional<MemoryContents> contents;   ///< contents at the cursor
    std::optional<RangeSummary> range;        ///< sums of the measured range
};

/// `previous`: its track is reused for the same tensor and timeline.
[[nodiscard]] MemoryModel buildMemory(const Snapshot* snapshot, const SelectionState& selection,
                                      std::shared_ptr<const Timeline> timeline,
                                      std::shared_ptr<const Timeline> baseline,
                                      const MemoryModel& previous = {});

/// The time of the linked cursor: the selected time if it is in the selected step, otherwise the start of
/// that step.
[[nodiscard]] std::optional<double> cursorTime(const Timeline& timeline, const SelectionState& selection);

/// "37 steps in subgraphs 2–4".
[[nodiscard]] QString rangeStepsText(const RangeSummary& range);
/// Tab-separated: one line per quantity, with sum, minimum, mean and maximum.
[[nodiscard]] QString rangeAsText(const RangeSummary& range);

} // namespace tilewright::ui
