// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/step_table.h"
#include "models/trace_key.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// One subgraph on the time axis.
struct TimelinePart
{
    SubgraphId id;
    TraceKey key;
    double start = 0;
    double duration = 0;
    std::int64_t peak = 0;
    std::int64_t resident = 0; ///< elements that were there before (RES)
    std::int64_t retained = 0; ///< elements reserved for tensors retained from here on
    /// Null when the subgraph cannot run or has too many steps to keep; then only the peak is known.
    std::shared_ptr<const StepTable> steps;
    [[nodiscard]] double end() const { return start + duration; }
};

/// What occupies fast memory over the whole schedule, step by step. Immutable.
struct Timeline
{
    ProblemPtr problem;
    std::vector<TimelinePart> parts; ///< one a subgraph, in order
    double total = 0;
    std::int64_t peak = 0;
    std::size_t peakPart = 0;
    double peakTime = 0; ///< start of the first step with the peak

    /// Index of the part at this time; of the last one after the end. None without parts.
    [[nodiscard]] std::optional<std::size_t> partAt(double time) const;
};

/// Traces every subgraph, taking the tables of `previous` where nothing has changed. Null when stopped.
[[nodiscard]] std::shared_ptr<const Timeline>
buildTimeline(const Snapshot& snapshot, const Timeline* previous, const Progress& progress);

/// Fast memory in elements, by what it is used for (R9.1); donated elements (R9.6) are taken off the inputs.
struct Occupancy
{
    std::int64_t resident = 0, retained = 0, input = 0, accumulator = 0, output = 0;
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return resident + retained + input + accumulator + output;
    }
    bool operator==(const Occupancy&) const = default;
};
[[nodiscard]] Occupancy occupancyOf(const TimelinePart& part, std::int64_t step);

/// One pixel column: the step with the largest working set in its time, and the smallest total.
struct TimelineColumn
{
    Occupancy high;
    std::int64_t low = 0;
    bool peakOnly = false; ///< only the peak of the subgraph is known
    bool empty = true;     ///< after the end
    bool operator==(const TimelineColumn&) const = default;
};
/// Columns of `width` pixels over the times [from, to).
[[nodiscard]] std::vector<TimelineColumn> timelineColumns(const Timeline& timeline, double from, double to,
                                                          int width);

/// Something that lies in fast memory at a time.
struct ResidentItem
{
    enum class Kind { Resident, Retained, Input, Accumulator, Output, Donated };
    Kind kind = Kind::Input;
    TensorId tensor;
    QString name;
    QString detail;
    std::int64_t elements = 0; ///< negative for donated memory
};
struct Residents
{
    std::size_t part = 0;
    std::int64_t step = 0;
    double start = 0, end = 0;       ///< of the step, since the start of the schedule
    std::int64_t total = 0;          ///< the working set; the items sum up to it
    std::vector<ResidentItem> items; ///< by kind, then by size
};
/// Everything that lies in fast memory at this time; nothing when it is not known.
[[nodiscard]] std::optional<Residents> residentsAt(const Timeline& timeline, double time);
[[nodiscard]] Residents residentsOf(const Timeline& timeline, std::size_t part, std::int64_t step);

/// Smallest, mean over time and largest working set between two times.
struct RangeSummary
{
    std::int64_t low = 0, high = 0;
    double mean = 0;
};
[[nodiscard]] std::optional<RangeSummary> summarise(const Timeline& timeline, double from, double to);
/// The nearest start or end of a step.
[[nodiscard]] double snapToStep(const Timeline& timeline, double time);

} // namespace tilewright::ui
