// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "eval/trace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

/// An interval of time in which the contents of fast memory do not change (R9.1). Sizes in elements.
struct OccupancySegment
{
    double start = 0; ///< since the start of the schedule
    double end = 0;
    SubgraphId subgraph;
    std::int64_t firstStep = 0; ///< within the subgraph
    std::int64_t steps = 1;
    std::int64_t resident = 0;    ///< (a) RES before the subgraph
    std::int64_t retained = 0;    ///< (a) kept for the next subgraph and not in RES yet
    std::int64_t input = 0;       ///< (b)
    std::int64_t output = 0;      ///< (c)
    std::int64_t accumulator = 0; ///< (d)
    std::int64_t donated = 0;     ///< R9.6: outputs that lie in an input's buffer, to be subtracted
    /// False when the segment stands for steps that were not walked; its parts are those of the walked step
    /// with the largest working set.
    bool exact = true;
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return resident + retained + input + output + accumulator - donated;
    }
    bool operator==(const OccupancySegment&) const = default;
};

/// The contents of fast memory over the whole schedule, as a step function of time.
struct Occupancy
{
    std::vector<OccupancySegment> segments; ///< ascending and adjoining; without steps that take no time
    std::int64_t capacity = 0;
    double end = 0;        ///< total latency
    std::int64_t peak = 0; ///< largest working set of all steps, also of those that take no time
    double peakTime = 0;   ///< start of the first step that reaches it
    SubgraphId peakSubgraph;
    bool complete = true; ///< false when stopped: the segments end early

    /// The segment at a time; nothing outside of the schedule.
    [[nodiscard]] const OccupancySegment* at(double time) const;
};

struct OccupancyOptions
{
    std::int64_t maxSteps = 2'000'000; ///< walked for each subgraph; the rest becomes one inexact segment
};

/// Walks the steps of all structurally valid subgraphs (the others take no time).
[[nodiscard]] Occupancy occupancy(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                  const Progress& progress = {}, const OccupancyOptions& options = {});

/// Something in fast memory at an instant.
struct Resident
{
    enum class Kind : std::uint8_t { Resident, Retained, Input, Output, Accumulator };
    Kind kind = Kind::Resident;
    TensorId tensor; ///< Accumulator: the sink whose drivers accumulate
    std::int64_t elements = 0;
    std::optional<Rect> rect; ///< the part of the tensor, when it is not the whole
    std::optional<Role> role; ///< Input: as what it is requested
    bool loadedNow = false;   ///< Input: loaded in this step, not reused
};
struct ResidentsAtInstant
{
    SubgraphId subgraph;
    std::int64_t step = 0;
    double start = 0; ///< of the step
    double end = 0;
    std::int64_t workingSet = 0;
    std::vector<Resident> residents; ///< largest first; the sum is workingSet plus what is donated
};

/// The contents of fast memory at a time, in the step that runs then; nothing outside of the schedule.
[[nodiscard]] std::optional<ResidentsAtInstant> residentsAt(const Problem& problem, const Schedule& schedule,
                                                            const Rules& rules, double time);

} // namespace tilewright
