// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::systolic {

// Event semantics (docs/rules/systolic.md 4.3). Time is in whole cycles; a command occupies a unit of its
// resource in [start, end) and its result is ready at `ready` >= end.
//  - end = start + latency + ceil(bytes * units / bytesPerCycle) (bytesPerCycle is shared evenly by the
//  units;
//    0 = unlimited, the term is 0). COMPUTE: end = start + cycles. ready = end + tail, which only COMPUTE and
//    STR_FEED_WEIGHTS have.
//  - A command starts at the first time at which all of these hold: every command before it on its resource
//    has started; the barrier before it has passed; the commands in `waits` are ready; a unit is free (the
//    lowest-numbered free one is taken); its destination slot is free.
//  - Its slot is taken at its start and freed when the last command that reads it has ended. A barrier passes
//    when every command before it is ready.
//  - What ends at t is over before anything starts at t; commands of no duration end at once, and starting
//    goes on at t until nothing more can start.

/// Speeds and numbers of units; bytes per cycle of a resource count all its units together.
struct PipelineUnits
{
    std::int64_t units = 1;
    double bytesPerCycle = 0; ///< 0 = unlimited
    std::int64_t latency = 0; ///< cycles before the first byte
    bool operator==(const PipelineUnits&) const = default;
};

struct PipelineMachine
{
    std::array<PipelineUnits, 5> classes{{{2, 0, 0}, {2, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 0, 0}}};
    bool operator==(const PipelineMachine&) const = default;

    [[nodiscard]] const PipelineUnits& at(Resource r) const noexcept
    {
        return classes[static_cast<std::size_t>(r)];
    }
    [[nodiscard]] PipelineUnits& at(Resource r) noexcept { return classes[static_cast<std::size_t>(r)]; }
};

/// DMA at the external memory's bandwidth, block movers at L3's, streamers at L2's, drain at L1's.
[[nodiscard]] PipelineMachine machineOf(const Hierarchy& hierarchy) noexcept;
[[nodiscard]] Status checkMachine(const PipelineMachine& machine);
/// Cycles that a command occupies its unit.
[[nodiscard]] std::int64_t commandCycles(const Command& command, const PipelineMachine& machine) noexcept;

struct PipelineEvent
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t ready = 0;
    std::int32_t unit = 0; ///< -1: a barrier, which passes at start = end = ready
    bool operator==(const PipelineEvent&) const = default;
};

/// Cycles in which the array took no operands, and why. Reasons: "dma", "block_mover", "streamer", "array",
/// "drain" (waiting for that resource), "weights" (a block moves to its place), "l3_full", "l2_full",
/// "l1_full", "accumulators_full", "weights_full" (no free slot), "barrier_dma" ... (a barrier waits for that
/// resource; "barrier_array": the array drains at a barrier), "fill_drain" (after the last operand: the wave
/// leaves the array).
struct ArrayBubble
{
    std::int64_t start = 0;
    std::int64_t length = 0;
    std::string reason;
    std::uint32_t command = 0; ///< the one that is waited for
};

struct OccupancyPoint
{
    std::int64_t time = 0; ///< from here on
    std::int64_t bytes = 0;
};

/// A simulated program; everything is a random-access query over the finished run.
struct PipelineRun
{
    std::vector<PipelineEvent> events; ///< one for each command of the program
    std::int64_t cycles = 0;           ///< until the last command is ready
    std::int64_t computeCycles = 0;    ///< from the first operand to the last MAC
    std::int64_t arrayBusy = 0;        ///< cycles in which operands entered; arrayBusy + all bubbles = cycles
    std::vector<ArrayBubble> bubbles;  ///< ascending
    std::map<std::string, std::int64_t> stalls;           ///< cycles for each reason
    std::array<double, 5> busyFraction{};                 ///< of each resource's units
    std::array<std::vector<OccupancyPoint>, 3> occupancy; ///< L3, L2, L1: ascending steps
    std::array<std::int64_t, 3> peakBytes{};
    std::string bottleneck; ///< the reason with most cycles lost apart from fill_drain; "array" when none
    Resource busiest = Resource::Array; ///< the one with the largest busy fraction; ties: the array
    std::int64_t largestLoss = 0;       ///< array cycles lost for the reason `bottleneck`

    /// Bytes held in Level::L3, L2 or L1 at a time.
    [[nodiscard]] std::int64_t occupancyAt(Level level, std::int64_t time) const noexcept;
    /// Commands that occupy a unit at a time, ascending.
    [[nodiscard]] std::vector<std::uint32_t> runningAt(std::int64_t time) const;
    /// The bubble at a time, or nullptr while the array is fed.
    [[nodiscard]] const ArrayBubble* bubbleAt(std::int64_t time) const noexcept;
};

/// Runs the program; the error names the command that can never start.
[[nodiscard]] Result<PipelineRun> runPipeline(const Program& program, const PipelineMachine& machine);

/// Barriered and pipelined side by side.
struct PipelineComparison
{
    Program barriered, pipelined;
    PipelineRun barrieredRun, pipelinedRun;
    [[nodiscard]] std::int64_t cyclesSaved() const noexcept
    {
        return barrieredRun.cycles - pipelinedRun.cycles;
    }
};
[[nodiscard]] Result<PipelineComparison> comparePipelines(ProgramOptions options,
                                                          const PipelineMachine& machine);

/// Chrome trace-event JSON (one cycle is shown as one microsecond): a row for each unit, counters for the
/// occupancy of L1, L2, L3, the array's bubbles by reason.
[[nodiscard]] std::string pipelineTrace(const Program& program, const PipelineRun& run,
                                        const PipelineMachine& machine);

} // namespace tilewright::systolic
