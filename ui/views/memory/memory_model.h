// SPDX-License-Identifier: GPL-3.0-or-later
// The memory timeline as data: contents of fast memory at a time, and all tensors over time.
#pragma once

#include "views/memory/timeline.h"
#include "workspace/selection.h"

#include <QString>

namespace tilewright::ui {

/// An item in fast memory at a moment.
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
    double start = 0, end = 0; ///< start and end of the step, since the start of the schedule
    std::int64_t total = 0;    ///< the working set, which is the sum of the items
    HaloVolume halo; ///< halo: parts of inputs and interior slices that other tiles need as well (R1.8)
    std::vector<ContentItem> items; ///< items, sorted by kind, then by size
};
[[nodiscard]] MemoryContents contentsOf(const Timeline& timeline, std::size_t part, std::int64_t step);
/// Returns the contents at a time; nullopt if they are not known.
[[nodiscard]] std::optional<MemoryContents> contentsAt(const Timeline& timeline, double time);

/// Text on the halo: "halo 2 048 of the inputs, which other tiles load, too"; empty without a halo.
[[nodiscard]] QString haloText(const MemoryContents& contents, const Problem& problem);

[[nodiscard]] QString contentKindText(ContentItem::Kind kind);
[[nodiscard]] QString contentsTooltip(const MemoryContents& contents, const Timeline& timeline,
                                      std::int64_t capacity);
/// Returns the contents as tab-separated text, one line per item.
[[nodiscard]] QString contentsAsText(const MemoryContents& contents, const Problem& problem);

/// The contents of the memory timeline. Does not include the visible range and the mouse.
struct MemoryModel
{
    QString hint; ///< text shown instead of the chart; empty: show the chart
    QString
        title; ///< "Peak 49 152 of 250 000 elements in subgraph 4", or the position of the selected tensor
    QString namePrefix; ///< common prefix of the names of all ops, which the list omits
    bool overflows = false;
    bool hasHalos = false; ///< true if some step holds a halo
    MemoryUse largest; ///< largest use of each kind of data in a step; the legend names only kinds above 0
    std::int64_t capacity = 0;
    std::shared_ptr<const Timeline> timeline; ///< timeline of the schedule; null while it is being computed
    std::shared_ptr<const Timeline> baseline; ///< timeline of the baseline; may be null
    std::shared_ptr<const TensorTrack> track; ///< track of the selected tensor; may be null
    double total = 0;                   ///< end of the time axis: the end of the longer of both schedules
    double cursor = 0;                  ///< time of the cursor
    bool pinned = false;                ///< true if the user has pinned the cursor; false: it is at the peak
    std::optional<SubgraphId> subgraph; ///< the current subgraph
    std::optional<MemoryContents> contents; ///< contents of fast memory at the cursor
    std::optional<RangeSummary> range;      ///< sums of the measured range
};

/// Builds the model. `previous`: its track is reused if tensor and timeline are the same.
[[nodiscard]] MemoryModel buildMemory(const Snapshot* snapshot, const SelectionState& selection,
                                      std::shared_ptr<const Timeline> timeline,
                                      std::shared_ptr<const Timeline> baseline,
                                      const MemoryModel& previous = {});

/// Returns the time of the linked cursor: the selected time if it is in the selected step, otherwise the
/// start of that step.
[[nodiscard]] std::optional<double> cursorTime(const Timeline& timeline, const SelectionState& selection);

/// Text on a measured range: "37 steps in subgraphs 2–4".
[[nodiscard]] QString rangeStepsText(const RangeSummary& range);
/// Returns the sums as tab-separated text: one line per quantity, with sum, minimum, mean and maximum.
[[nodiscard]] QString rangeAsText(const RangeSummary& range);

} // namespace tilewright::ui
