// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a schedule (R20): loads, array, vector unit and stores work side by side, where
// R10 adds them up step by step. Value types that a view draws, and the engine.
#pragma once

#include "base/progress.h"
#include "base/rect.h"
#include "base/result.h"
#include "eval/evaluation.h"
#include "schedule/schedule.h"
#include "workload/rules.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tilewright {

// Times below are in the problem's unit of time, rounded once from the exact rational. Sizes are in units:
// Problem::unitsPerElement() of them are an element (R1.9), Problem::bitsPerUnit() are the bits of one.

/// A unit that executes commands. The load queue and the store queue share one channel to the slow memory.
enum class RunUnit : std::uint8_t { Load, Array, Vector, Store };
inline constexpr std::size_t kRunUnits = 4;
[[nodiscard]] std::string_view runUnitName(RunUnit unit); // "load", "array", "vector", "store"

/// The reason for which an idle unit waits.
enum class RunWait : std::uint8_t {
    Room,     ///< the next step does not fit into the fast memory beside those that have not ended
    Prefetch, ///< the next step fits, but `prefetch` steps are already ahead of the oldest that has not ended
    Load,     ///< a load of `tensor`
    Run,      ///< a run of `op`; a store queue: of the run whose tile it will store
    Store,    ///< a store of `tensor`, which a later subgraph loads
    Channel,  ///< the channel, which serves the other queue or another core; or the network
    Nothing,  ///< nothing is left to do for this unit
};
inline constexpr std::size_t kRunWaits = 7;
[[nodiscard]] std::string_view runWaitName(RunWait wait); // "room", "prefetch", "load", ...

/// Rates of the network on which a core reads what other cores hold of a resident tensor
/// (docs/rules/run.md 5.4). The default is that of the NPU lens: links half as fast as the external memory,
/// four of which fill the trunk.
struct RunNetwork
{
    std::int64_t linkUnits = 0; ///< units that a link moves in `linkTime`; 0: half the external bandwidth
    std::int64_t linkTime = 1;  ///< time in units of time
    std::int64_t links = 4;     ///< links that may be at work at a time
    bool operator==(const RunNetwork&) const = default;
};

struct RunOptions
{
    static constexpr std::int64_t kMostCores = 1024;

    /// 0: one step after the other, and in a step loads, runs and stores; P: the loads of up to P steps
    /// beside the oldest one that has not ended (R20).
    std::int64_t prefetch = 1;
    std::int64_t cores = 1;                          ///< at most kMostCores (docs/rules/run.md 5)
    RunNetwork network{};                            ///< network between several cores
    std::int64_t mostSteps = std::int64_t{1} << 22;  ///< a longer schedule is refused
    std::size_t mostCommands = std::size_t{1} << 20; ///< commands that are recorded; 0: only the sums
    bool operator==(const RunOptions&) const = default;
};

/// One command: a transfer or a run.
struct RunCommand
{
    RunUnit unit = RunUnit::Load;
    bool kept = false;    ///< a load of parts of kept tensors, all in one transfer (R9.7)
    bool network = false; ///< a load of what other cores hold of resident tensors, all in one transfer
    std::uint16_t core = 0;
    SubgraphId subgraph;
    std::int64_t step = 0;  ///< index in ScheduleRun::steps
    std::optional<OpId> op; ///< op of a run on the array or the vector unit
    std::optional<TensorId>
        tensor; ///< tensor that is loaded (a view stands for itself) or stored; for a run its output
    Rect rect;  ///< part of the tensor; empty for `kept` and `network`
    std::int64_t k0 = 0, k1 = 0; ///< range of the reduction of a run
    std::int64_t units = 0;      ///< loaded or stored
    double begin = 0, end = 0;
};

/// One (tile, k) step of a subgraph on the common time axis.
struct RunStep
{
    std::uint16_t core = 0;
    SubgraphId subgraph;
    std::int64_t index = 0; ///< index in the subgraph, in order of execution; equals Step::index
    std::int64_t tile = 0;  ///< r * cols + c
    std::int64_t kStep = 0, kSteps = 1;
    double admitted = 0;    ///< time from which on its items occupy memory and its loads are queued
    double begin = 0;       ///< time at which its first command begins
    double ended = 0;       ///< time at which its last command has ended
    std::int64_t units = 0; ///< memory that its items occupy: the working set of the step (R9)
};

/// Room taken in the fast memory of a core from `time` to its next entry.
struct RunRoom
{
    enum Kind : std::uint8_t { Input, Reserved, Output, Accumulator, Interior };
    static constexpr std::size_t kKinds = 5;
    double time = 0;
    std::array<std::int64_t, kKinds> units{};
    std::uint16_t core = 0;
    [[nodiscard]] std::int64_t total() const noexcept
    {
        return units[0] + units[1] + units[2] + units[3] + units[4];
    }
    bool operator==(const RunRoom&) const = default;
};

/// A stretch of time in which a unit does nothing.
struct RunStall
{
    RunUnit unit = RunUnit::Load;
    RunWait wait = RunWait::Nothing;
    std::optional<OpId> op;         ///< op that the unit waits for, for RunWait::Run
    std::optional<TensorId> tensor; ///< tensor that the unit waits for, for RunWait::Load and RunWait::Store
    double begin = 0, end = 0;
    std::uint16_t core = 0;
};

/// Sums of one unit. busy and the waits add up to the end of the run, for each core.
struct RunUnitSums
{
    double busy = 0;
    std::array<double, kRunWaits> waits{};
    std::int64_t commands = 0;
    [[nodiscard]] double waited(RunWait wait) const noexcept { return waits[static_cast<std::size_t>(wait)]; }
};

/// Sums of one core.
struct RunCoreSums
{
    std::array<RunUnitSums, kRunUnits> units{};
    std::int64_t peakUnits = 0; ///< largest amount of memory in use
    std::int64_t steps = 0;
    [[nodiscard]] const RunUnitSums& of(RunUnit unit) const noexcept
    {
        return units[static_cast<std::size_t>(unit)];
    }
};

/// A subgraph in the run. `length` = R10's latency + startUp + drain - overlap; the lengths add up to the
/// end.
struct RunSubgraph
{
    double admitted = 0; ///< time at which its first step is admitted
    double begin = 0;    ///< time at which its first command begins
    double end = 0;      ///< time at which its last step has ended
    std::int64_t firstStep = 0,
                 steps = 0; ///< in ScheduleRun::steps; of several cores its steps are mixed with others
    double latency = 0;     ///< R10.1
    double length = 0;      ///< by how much it moves the end of the run so far
    double startUp = 0;     ///< part of `length` before its first run begins
    double drain = 0;       ///< part of `length` after its last run has ended
    double overlap = 0;     ///< what its units do side by side that R10 adds up, less its stalls
    double early = 0;       ///< how long before the end of the subgraphs before it its commands begin
    std::array<double, kRunUnits> busy{};
};

/// A run. `steps`, `commands`, `room` and `stalls` are empty if more than RunOptions::mostCommands commands
/// were run; all sums are complete.
struct ScheduleRun
{
    RunOptions options;
    Rules rules;
    double end = 0;
    double latency = 0;                         ///< R10's total
    std::array<RunUnitSums, kRunUnits> units{}; ///< sums of all cores together
    std::vector<RunCoreSums> cores;
    std::int64_t loadUnits = 0, storeUnits = 0; ///< between external and fast memories
    std::int64_t networkUnits = 0;              ///< read from other cores
    double channelBusy = 0;                     ///< loads and stores of all cores over the channel
    std::int64_t peakUnits = 0;                 ///< largest amount of memory in use in one core
    std::int64_t stepCount = 0;
    /// False if the exact times have no common denominator that can be held; durations are then rounded to a
    /// multiple of 2^-40.
    bool exact = true;
    bool recorded = true; ///< false if there are too many commands
    std::vector<RunSubgraph> subgraphs;
    std::vector<RunStep> steps;       ///< steps in order of admission
    std::vector<RunCommand> commands; ///< commands in order of their begin
    std::vector<RunRoom> room;        ///< entries in order of time; the first entry of each core is at time 0
    std::vector<RunStall> stalls;     ///< stalls in order of time

    [[nodiscard]] const RunUnitSums& of(RunUnit unit) const noexcept
    {
        return units[static_cast<std::size_t>(unit)];
    }
};

/// Runs a schedule (R20), given its evaluation under the rules of the run. Refused with a reason: a schedule
/// that breaks a rule, a number of cores out of range, a negative prefetch, donation=yes, too many steps, a
/// stop.
[[nodiscard]] Result<ScheduleRun> runSchedule(const Problem& problem, const Schedule& schedule,
                                              const Evaluation& evaluation, const RunOptions& options = {},
                                              const Progress& progress = {});
/// Evaluates the schedule and runs it.
[[nodiscard]] Result<ScheduleRun> runSchedule(const Problem& problem, const Schedule& schedule,
                                              const Rules& rules, const RunOptions& options = {},
                                              const Progress& progress = {});

} // namespace tilewright
