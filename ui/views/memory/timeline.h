// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis of fast memory: subgraphs, use by each tensor, statistics of steps.
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

/// Sums over steps; a step at the border of the range counts with the part that is inside.
struct StepStatistics
{
    std::int64_t steps = 0;
    Spread latency, loaded, stored;
    Spread used; ///< working set; its sum is over time

    [[nodiscard]] double meanUsed() const { return latency.sum > 0 ? used.sum / latency.sum : 0; }
    /// Adds `count` equal steps, `share` of each inside the range.
    void add(const StepSums& step, std::int64_t count, double share = 1);
    void add(const StepStatistics& other);
    /// Adds steps [first, last) of a table; steps of duration 0 are left out.
    void add(const StepTable& table, std::int64_t first, std::int64_t last);
};

/// Statistics of a time range.
struct RangeSummary
{
    double from = 0, to = 0;
    std::size_t firstPart = 0, lastPart = 0;
    StepStatistics steps;
};
/// nullopt if only the peak of a subgraph is known.
[[nodiscard]] std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to);

struct TensorTrack;

/// One subgraph on the time axis.
struct TimelinePart
{
    SubgraphId id;
    TraceKey key;
    double start = 0;
    double duration = 0;
    double compute = 0, load = 0, store = 0; ///< sums over its steps, which overlap in time
    std::int64_t peak = 0;
    std::int64_t resident = 0; ///< elements that are resident from before (RES)
    std::int64_t retained = 0; ///< elements reserved for tensors that this subgraph retains
    /// Null if the subgraph cannot run or has too many steps; then only the peak is known.
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
    double peakTime = 0; ///< start of the first step with the peak

    /// Index of the part at this time, of the last part after the end; nullopt without parts.
    [[nodiscard]] std::optional<std::size_t> partAt(double time) const;
};

/// Traces every subgraph and reuses the tables of `previous` for unchanged ones. Null if stopped.
[[nodiscard]] std::shared_ptr<const Timeline>
buildTimeline(const Snapshot& snapshot, const Timeline* previous, const Progress& progress);

/// Fast memory in units (R1.9), by use (R9.1); donated elements (R9.6) are subtracted from the inputs.
struct MemoryUse
{
    std::int64_t resident = 0, retained = 0, input = 0, interior = 0, accumulator = 0, output = 0;
    HaloVolume halo{}; ///< parts of `input` and `interior`
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return resident + retained + input + interior + accumulator + output;
    }
    bool operator==(const MemoryUse&) const = default;
};
[[nodiscard]] MemoryUse memoryUse(const TimelinePart& part, std::int64_t step);
/// Of each kind, the most elements in any step. Of a part without steps, what is not kept counts as input.
[[nodiscard]] MemoryUse largestUse(const Timeline& timeline);

/// A pixel column of the chart: of the steps in its range of time, the one with the largest working set, and
/// the smallest working set.
struct TimelineColumn
{
    MemoryUse high;
    MemoryUse tensor; ///< the followed tensor's part of `high`
    std::int64_t low = 0;
    bool tensorIn = false; ///< true if the followed tensor is in memory in some step of the column
    bool peakOnly = false; ///< only the peak of the subgraph is known
    bool empty = true;     ///< the column is after the end of the schedule
    bool operator==(const TimelineColumn&) const = default;
};
/// Columns of `width` pixels over the times [from, to); `track`: the tensor to follow, may be null.
[[nodiscard]] std::vector<TimelineColumn> timelineColumns(const Timeline& timeline, double from, double to,
                                                          int width, const TensorTrack* track = nullptr);

/// The end of a subgraph within `tolerance` of the time, otherwise the nearest start or end of a step.
[[nodiscard]] double snapToBoundary(const Timeline& timeline, double time, double tolerance);

/// One tensor in the timeline: its use of fast memory in every step.
struct TensorTrack
{
    struct Part
    {
        std::vector<MemoryUse> byShape; ///< index = shape of the step; empty: never in memory
        std::int64_t high = 0;          ///< maximum over its steps
        double time = 0;                ///< time during which it is in memory
    };
    TensorId tensor;
    std::vector<Part> parts; ///< index = part of the timeline
    std::int64_t high = 0;
    double time = 0;

    [[nodiscard]] bool isIn(std::size_t part) const { return !parts[part].byShape.empty(); }
    [[nodiscard]] MemoryUse use(const Timeline& timeline, std::size_t part, std::int64_t step) const;
};

[[nodiscard]] std::shared_ptr<const TensorTrack> trackTensor(const Timeline& timeline, TensorId tensor);

/// "1–3, 7": the subgraphs in which it is in fast memory.
[[nodiscard]] QString subgraphsText(const TensorTrack& track);

} // namespace tilewright::ui
