// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "systolic/program.h"
#include "systolic/run_parts.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::systolic {

// Event semantics (docs/rules/systolic.md 4.3). Time is in whole cycles. A command occupies a unit of its
// resource in [start, end); its result is ready at `ready` >= end.
// - end = start + latency + ceil(bytes * units / bytesPerCycle). The units share bytesPerCycle evenly; 0 =
// unlimited, and the term is 0. COMPUTE: end = start + cycles. ready = end + tail; only COMPUTE and
// STR_FEED_WEIGHTS have a tail.
// - A command starts at the first time at which every earlier command of its resource has started, the
// barrier before it has passed, the commands in `waits` are ready, a unit is free (the lowest-numbered free
// unit is used) and its destination slot is free.
// - It occupies its slot from its start until the last command that reads the slot ends. A barrier passes
// when every command before it is ready.
// - Everything that ends at t ends before anything starts at t. Commands of no duration end at once, and
// further commands may then start at t.

/// Units of one resource. bytesPerCycle is the bandwidth of all units together.
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

/// The machine of a hierarchy: DMA has the bandwidth of the external memory, block movers that of L3,
/// streamers that of L2, drain that of L1.
[[nodiscard]] PipelineMachine machineOf(const Hierarchy& hierarchy) noexcept;
[[nodiscard]] Status checkMachine(const PipelineMachine& machine);
/// Number of cycles for which a command occupies its unit.
[[nodiscard]] std::int64_t commandCycles(const Command& command, const PipelineMachine& machine) noexcept;

struct PipelineEvent
{
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t ready = 0;
    std::int32_t unit = 0; ///< -1 = barrier; a barrier has start = end = ready
    bool operator==(const PipelineEvent&) const = default;
};

/// Cycles in which the array took no operands, with the reason. Reasons: "dma", "block_mover", "streamer",
/// "array", "drain" (waits for that resource), "weights" (a block moves to its registers), "l3_full",
/// "l2_full", "l1_full", "accumulators_full", "weights_full" (no free slot), "barrier_dma" ... (a barrier
/// waits for that resource; "barrier_array": the array drains at a barrier), "fill_drain" (after the last
/// operand, the wave leaves the array).
struct ArrayBubble
{
    std::int64_t start = 0;
    std::int64_t length = 0;
    std::string reason;
    std::uint32_t command = 0; ///< the command that the array waits for
};

/// Text of the reason why the array waits: "the wave of an earlier block is still in the array"; empty for a
/// reason that ArrayBubble does not list.
[[nodiscard]] std::string stallText(std::string_view reason);

struct OccupancyPoint
{
    std::int64_t time = 0; ///< start time; valid until the next point
    std::int64_t bytes = 0;
};

class ProgramReplay;

/// Result of the simulation of a program, with lookup by time.
struct PipelineRun
{
    /// Start and end of each command of the program; empty if the program was run by parts. Then `overview`
    /// replaces them, and bubbles (whose command is 0) and occupancy have the resolution of its buckets.
    std::vector<PipelineEvent> events;
    std::shared_ptr<RunOverview> overview; ///< null if there are `events`
    /// Gives the commands and times of any stretch of a program that was run by parts; null if there are
    /// `events`.
    std::shared_ptr<const ProgramReplay> replay;
    std::int64_t cycles = 0;        ///< time at which the last command is ready
    std::int64_t computeCycles = 0; ///< cycles from the first operand to the last MAC
    /// Cycles in which operands entered the array; arrayBusy + all bubbles = cycles.
    std::int64_t arrayBusy = 0;
    std::vector<ArrayBubble> bubbles;                     ///< sorted by time
    std::map<std::string, std::int64_t> stalls;           ///< cycles by reason
    std::array<double, 5> busyFraction{};                 ///< busy share of each resource
    std::array<std::vector<OccupancyPoint>, 3> occupancy; ///< L3, L2 and L1 over time
    std::array<std::int64_t, 3> peakBytes{};
    std::string
        bottleneck; ///< reason with the most bubble cycles, except fill_drain; "array" if there is none
    Resource busiest = Resource::Array; ///< resource with the largest busy fraction; ties prefer the array
    std::int64_t largestLoss = 0;       ///< bubble cycles with the reason `bottleneck`

    /// Bytes held in Level::L3, L2 or L1 at a time.
    [[nodiscard]] std::int64_t occupancyAt(Level level, std::int64_t time) const noexcept;
    /// Commands that occupy a unit at a time, in ascending order.
    [[nodiscard]] std::vector<std::uint32_t> runningAt(std::int64_t time) const;
    /// The bubble at a time; nullptr if the array takes operands.
    [[nodiscard]] const ArrayBubble* bubbleAt(std::int64_t time) const noexcept;
};

/// Runs the program. The Error names the command that can never start.
[[nodiscard]] Result<PipelineRun> runPipeline(const Program& program, const PipelineMachine& machine);

/// A program and its run.
struct ProgramRun
{
    Program program;
    PipelineRun run;
};
/// Plans a program and runs it. A program with at most `mostWhole` commands (at most kMaxWholeCommands) is
/// run as a whole, a longer one by parts, without holding all its commands. Both ways give equal results. The
/// Error is that of buildProgram() or runPipeline(), or says that the run was stopped.
[[nodiscard]] Result<ProgramRun> runProgram(const ProgramOptions& options, const PipelineMachine& machine,
                                            std::int64_t mostWhole = kMaxWholeCommands,
                                            const Progress& progress = {});

/// Barriered and pipelined runs of the same GEMM, if both programs exist.
struct PipelineComparison
{
    Program barriered, pipelined;
    PipelineRun barrieredRun, pipelinedRun;
    /// By ProgramStyle: the reason why there is no program of this style; empty if there is one.
    std::array<std::string, 2> refusal;
    [[nodiscard]] bool has(ProgramStyle style) const noexcept
    {
        return refusal[static_cast<std::size_t>(style)].empty();
    }
    /// Cycles that the pipelined program saves; nullopt if one of the programs is missing.
    [[nodiscard]] std::optional<std::int64_t> cyclesSaved() const noexcept
    {
        return has(ProgramStyle::Barriered) && has(ProgramStyle::Pipelined)
                   ? std::optional(barrieredRun.cycles - pipelinedRun.cycles)
                   : std::nullopt;
    }
};
/// Runs both programs. If neither exists, the Error is that of the barriered one.
[[nodiscard]] Result<PipelineComparison>
comparePipelines(ProgramOptions options, const PipelineMachine& machine, const Progress& progress = {});

/// The run as Chrome trace-event JSON; one cycle is shown as one microsecond. It has a row per unit, counters
/// of the occupancy of L1, L2 and L3, and the bubbles of the array by reason.
[[nodiscard]] std::string pipelineTrace(const Program& program, const PipelineRun& run,
                                        const PipelineMachine& machine);

} // namespace tilewright::systolic
