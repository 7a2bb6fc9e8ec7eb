// SPDX-License-Identifier: GPL-3.0-or-later
// Use of the memories by a schedule: contents of fast memory over time, traffic of each tensor.
#pragma once

#include "base/progress.h"
#include "eval/evaluation.h"
#include "eval/trace.h"
#include "schedule/schedule.h"
#include "workload/rules.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tilewright {

/// A time interval in which the contents of fast memory do not change (R9.1). Sizes in units (R1.9).
struct OccupancySegment
{
    double start = 0; ///< time since the start of the schedule
    double end = 0;
    SubgraphId subgraph;
    std::int64_t firstStep = 0; ///< index of the first step, within the subgraph
    std::int64_t steps = 1;
    std::int64_t resident = 0;    ///< resident tensors, RES before the subgraph (R9.1a)
    std::int64_t retained = 0;    ///< retained tensors that are not in RES yet (R9.1a)
    std::int64_t input = 0;       ///< input buffers (R9.1b)
    std::int64_t output = 0;      ///< output tiles (R9.1c)
    std::int64_t accumulator = 0; ///< accumulators (R9.1d)
    std::int64_t interior = 0;    ///< interior slices (R9.9)
    std::int64_t donated = 0;     ///< outputs that reuse the buffer of an input (R9.6), to be subtracted
    /// False if the segment stands for steps that were not simulated; its sizes are then those of the
    /// simulated step with the largest working set.
    bool exact = true;
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return resident + retained + input + output + accumulator + interior - donated;
    }
    bool operator==(const OccupancySegment&) const = default;
};

/// The contents of fast memory over the whole schedule, as a step function of time.
struct Occupancy
{
    std::vector<OccupancySegment> segments; ///< ascending and adjoining; steps without duration are left out
    std::int64_t capacity = 0;
    double end = 0;        ///< total latency of the schedule
    std::int64_t peak = 0; ///< largest working set of all steps, including steps without duration
    double peakTime = 0;   ///< start time of the first step with the largest working set
    SubgraphId peakSubgraph;
    bool complete = true; ///< false if stopped: the last segments are missing

    /// Returns the segment at a time; null outside the schedule.
    [[nodiscard]] const OccupancySegment* at(double time) const;
};

struct OccupancyOptions
{
    /// Maximum number of steps simulated for each subgraph; the rest becomes one inexact segment.
    std::int64_t maxSteps = 2'000'000;
};

/// Computes the occupancy by simulating the steps of all structurally valid subgraphs. Other subgraphs take
/// no time.
[[nodiscard]] Occupancy occupancy(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                  const Progress& progress = {}, const OccupancyOptions& options = {});

/// A tensor, or a part of one, in fast memory at one time.
struct Resident
{
    enum class Kind : std::uint8_t { Resident, Retained, Input, Output, Accumulator, Interior };
    Kind kind = Kind::Resident;
    TensorId tensor;           ///< the tensor; for an accumulator, the sink for which the drivers accumulate
    std::int64_t elements = 0; ///< size in units (R1.9)
    std::optional<Rect> rect;  ///< the part of the tensor; nothing for the whole tensor
    std::optional<Role> role;  ///< for an input: the role of its request
    bool loadedNow = false;    ///< for an input: true if loaded in this step, not reused
};
struct ResidentsAtInstant
{
    SubgraphId subgraph;
    std::int64_t step = 0;
    double start = 0; ///< start time of the step
    double end = 0;
    std::int64_t workingSet = 0;
    std::vector<Resident> residents; ///< largest first; their sum is workingSet plus the donated elements
};

/// Returns the contents of fast memory in the step that runs at this time; nothing outside the schedule.
[[nodiscard]] std::optional<ResidentsAtInstant> residentsAt(const Problem& problem, const Schedule& schedule,
                                                            const Rules& rules, double time);

/// Traffic of one tensor in one subgraph, in units (R1.9) over all steps (R7, R8).
struct TensorTraffic
{
    TensorId tensor;
    /// Units loaded from slow memory; more than the tensor has if parts are loaded repeatedly.
    std::int64_t load = 0;
    std::int64_t store = 0; ///< units stored to slow memory
    std::int64_t once = 0;  ///< units of `load` if each were loaded only once; the rest is loaded again
    /// Part of what is loaded again: units that slices read through windows of images have in common (R1.8).
    std::int64_t halo = 0;
    bool operator==(const TensorTraffic&) const = default;
};

/// Returns the traffic of each transferred tensor, ascending. The sums equal SubgraphEvaluation::loadElements
/// and storeElements. Simulates the steps: returns nothing if there are more than `maxSteps` or if stopped.
/// Empty if the subgraph breaks R4 or R5.3.
[[nodiscard]] std::optional<std::vector<TensorTraffic>>
tensorTraffic(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
              const Rules& rules, std::int64_t maxSteps = 2'000'000, const std::stop_token& stop = {});

} // namespace tilewright
