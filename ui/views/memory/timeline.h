// SPDX-License-Identifier: GPL-3.0-or-later
// The use of fast memory over time: subgraphs, use by each tensor, statistics of steps.
#pragma once

#include "eval/step_table.h"
#include "workspace/trace_key.h"

#include <QString>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

struct Timeline;

/// Sum, minimum and maximum of one quantity over some steps.
struct Spread
{
    double sum = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

/// Sums over the steps in a time range. A step at the border of the range counts with the share of it that is
/// inside.
struct StepStatistics
{
    std::int64_t steps = 0;
    Spread latency, loaded, stored;
    Spread used; ///< working set in elements; the sum is over time (elements x time)

    [[nodiscard]] double meanUsed() const { return latency.sum > 0 ? used.sum / latency.sum : 0; }
    /// Adds `count` equal steps, each with the share `share` of it inside the range.
    void add(const StepSums& step, std::int64_t count, double share = 1);
    void add(const StepStatistics& other);
    /// Adds the steps [first, last) of a table; steps of duration 0 are not counted.
    void add(const StepTable& table, std::int64_t first, std::int64_t last);
};

/// Statistics of a time range.
struct RangeSummary
{
    double from = 0, to = 0;
    std::size_t firstPart = 0, lastPart = 0;
    StepStatistics steps;
};
/// Returns the statistics of a time range; nullopt if only the peak of one of its subgraphs is known.
[[nodiscard]] std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to);

struct TensorTrack;

/// A subgraph on the time axis.
struct TimelinePart
{
    SubgraphId id;
    TraceKey key;
    double start = 0;
    double duration = 0;
    /// Compute, load and store times of all its steps; these overlap in time.
    double compute = 0, load = 0, store = 0;
    std::int64_t peak = 0;
    std::int64_t resident = 0; ///< elements that were resident before the subgraph (RES)
    std::int64_t retained = 0; ///< elements reserved for tensors that this subgraph retains
    /// Table of the steps. Null if the subgraph cannot run or has too many steps; only the peak is known
    /// then.
    std::shared_ptr<const StepTable> steps;
    StepStatistics all; ///< statistics of all its steps
    [[nodiscard]] double end() const { return start + duration; }
    [[nodiscard]] bool isKnown() const { return steps && steps->size() > 0; }
};

/// The use of fast memory over the whole schedule, step by step. Immutable.
struct Timeline
{
    ProblemPtr problem;
    std::vector<TimelinePart> parts; ///< one per subgraph, in execution order
    double total = 0;
    std::int64_t peak = 0;
    std::size_t peakPart = 0;
    double peakTime = 0; ///< start of the first step that has the peak

    /// Returns the index of the part at a time, or of the last part if the time is after the end; nullopt
    /// without parts.
    [[nodiscard]] std::optional<std::size_t> partAt(double time) const;
};

/// Traces all subgraphs. The tables of unchanged subgraphs are taken from `previous`. Null if stopped.
[[nodiscard]] std::shared_ptr<const Timeline>
buildTimeline(const Snapshot& snapshot, const Timeline* previous, const Progress& progress);

/// Fast memory in units (R1.9) by kind of use (R9.1). Donated elements (R9.6) are subtracted from the inputs.
struct MemoryUse
{
    std::int64_t resident = 0, retained = 0, input = 0, interior = 0, accumulator = 0, output = 0;
    HaloVolume halo{}; ///< the halo that is part of `input` and `interior`
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return resident + retained + input + interior + accumulator + output;
    }
    bool operator==(const MemoryUse&) const = default;
};
[[nodiscard]] MemoryUse memoryUse(const TimelinePart& part, std::int64_t step);
/// Returns for each kind of use the maximum over all steps. For a part without steps, all memory except
/// retained and resident elements counts as input.
[[nodiscard]] MemoryUse largestUse(const Timeline& timeline);

/// A pixel column of the chart. `high` is the largest and `low` the smallest working set of the steps in its
/// time range.
struct TimelineColumn
{
    MemoryUse high;
    MemoryUse tensor; ///< the part of `high` that belongs to the followed tensor
    std::int64_t low = 0;
    bool tensorIn = false; ///< true if the followed tensor is in memory in some step of the column
    bool peakOnly = false; ///< true if only the peak of the subgraph is known
    bool empty = true;     ///< true if the column is after the end of the schedule
    bool operator==(const TimelineColumn&) const = default;
};
/// Returns columns for `width` pixels over the times [from, to). `track`: the tensor to follow; may be null.
[[nodiscard]] std::vector<TimelineColumn> timelineColumns(const Timeline& timeline, double from, double to,
                                                          int width, const TensorTrack* track = nullptr);

/// Returns the end of a subgraph if one is within `tolerance` of `time`, otherwise the nearest start or end
/// of a step.
[[nodiscard]] double snapToBoundary(const Timeline& timeline, double time, double tolerance);

/// The use of fast memory by one tensor, in every step of the timeline.
struct TensorTrack
{
    struct Part
    {
        /// Use of memory by shape of the step; empty if the tensor is never in memory in this part.
        std::vector<MemoryUse> byShape;
        std::int64_t high = 0; ///< maximum of the elements over the steps
        double time = 0;       ///< total time for which the tensor is in memory
    };
    TensorId tensor;
    std::vector<Part> parts; ///< data for each part of the timeline, by index
    std::int64_t high = 0;
    double time = 0;

    [[nodiscard]] bool isIn(std::size_t part) const { return !parts[part].byShape.empty(); }
    [[nodiscard]] MemoryUse use(const Timeline& timeline, std::size_t part, std::int64_t step) const;
};

[[nodiscard]] std::shared_ptr<const TensorTrack> trackTensor(const Timeline& timeline, TensorId tensor);

/// Text that lists the subgraphs during which the tensor is in fast memory: "1–3, 7".
[[nodiscard]] QString subgraphsText(const TensorTrack& track);

} // namespace tilewright::ui
