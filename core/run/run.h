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

// Times in this file are in the problem's unit of time, rounded once from exact rational numbers. Sizes are
// in units: an element has Problem::unitsPerElement() units (R1.9), a unit has Problem::bitsPerUnit() bits.

/// A unit that executes commands. The load queue and the store queue share one channel to the slow memory.
enum class RunUnit : std::uint8_t { Load, Array, Vector, Store };
inline constexpr std::size_t kRunUnits = 4;
[[nodiscard]] std::string_view runUnitName(RunUnit unit); // "load", "array", "vector", "store"

/// The reason for which an idle unit waits.
enum class RunWait : std::uint8_t {
    Room, ///< memory: the next step does not fit into the fast memory beside the steps that have not ended
    /// The next step fits, but is more than `prefetch` steps ahead of the oldest step that has not ended.
    Prefetch,
    Load,    ///< waits for a load of `tensor`
    Run,     ///< waits for a run of `op`; a store queue waits for the run that computes its next tile
    Store,   ///< waits for a store of `tensor`, which a later subgraph loads
    Channel, ///< waits for the channel, which serves the other queue or another core, or for the network
    Nothing, ///< the unit has no work left
};
inline constexpr std::size_t kRunWaits = 7;
[[nodiscard]] std::string_view runWaitName(RunWait wait); // "room", "prefetch", "load", ...

/// Rates of the network over which a core reads the parts of resident tensors that other cores hold
/// (docs/rules/run.md 5.4). The default is that of the NPU lens: a link is half as fast as the external
/// memory, and four links fill the trunk.
struct RunNetwork
{
    /// Units that a link moves in `linkTime`; 0: a link has half the external bandwidth.
    std::int64_t linkUnits = 0;
    std::int64_t linkTime = 1; ///< time in units of time
    std::int64_t links = 4;    ///< number of links that can transfer at the same time
    bool operator==(const RunNetwork&) const = default;
};

struct RunOptions
{
    static constexpr std::int64_t kMostCores = 1024;

    /// 0: one step after another, and within a step first loads, then runs, then stores. P > 0: the loads of
    /// up to P steps overlap with the oldest step that has not ended (R20).
    std::int64_t prefetch = 1;
    std::int64_t cores = 1; ///< number of cores, at most kMostCores (docs/rules/run.md 5)
    RunNetwork network{};   ///< network between several cores
    std::int64_t mostSteps = std::int64_t{1} << 22; ///< schedules with more steps are refused
    /// Largest number of commands that are recorded; above it, only the sums are kept.
    std::size_t mostCommands = std::size_t{1} << 20;
    bool operator==(const RunOptions&) const = default;
};

/// One command of a unit: a transfer or a run.
struct RunCommand
{
    RunUnit unit = RunUnit::Load;
    bool kept = false;    ///< true: one transfer that loads parts of several kept tensors (R9.7)
    bool network = false; ///< true: one transfer that loads parts of resident tensors from other cores
    std::uint16_t core = 0;
    SubgraphId subgraph;
    std::int64_t step = 0;  ///< index in ScheduleRun::steps
    std::optional<OpId> op; ///< op of a run on the array or the vector unit
    std::optional<TensorId>
        tensor; ///< tensor that is loaded (a view stands for itself) or stored; for a run, its output
    Rect rect;  ///< part of the tensor; empty for `kept` and `network`
    std::int64_t k0 = 0, k1 = 0; ///< range of the reduction of a run
    std::int64_t units = 0;      ///< size of a load or store
    double begin = 0, end = 0;
};

/// One (tile, k) step of a subgraph on the common time axis.
struct RunStep
{
    std::uint16_t core = 0;
    SubgraphId subgraph;
    std::int64_t index = 0; ///< index of the step in the subgraph, in order of execution; equals Step::index
    std::int64_t tile = 0;  ///< index r * cols + c of the tile
    std::int64_t kStep = 0, kSteps = 1;
    double admitted = 0;    ///< time from which its items occupy memory and its loads are queued
    double begin = 0;       ///< time at which its first command begins
    double ended = 0;       ///< time at which its last command has ended
    std::int64_t units = 0; ///< memory that its items occupy, which is the working set of the step (R9)
};

/// Memory in use in a core from `time` until the time of its next entry.
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

/// A stretch of time in which a unit is idle.
struct RunStall
{
    RunUnit unit = RunUnit::Load;
    RunWait wait = RunWait::Nothing;
    std::optional<OpId> op;         ///< RunWait::Run: op for which the unit waits
    std::optional<TensorId> tensor; ///< RunWait::Load and RunWait::Store: tensor for which the unit waits
    double begin = 0, end = 0;
    std::uint16_t core = 0;
};

/// Sums of one unit. For each core, `busy` and the waits add up to the length of the run.
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

/// A subgraph in the run. `length` = latency by R10 + startUp + drain - overlap; the lengths of all subgraphs
/// add up to the end of the run.
struct RunSubgraph
{
    double admitted = 0; ///< time at which its first step is admitted
    double begin = 0;    ///< time at which its first command begins
    double end = 0;      ///< time at which its last step has ended
    std::int64_t firstStep = 0,
                 /// Indices in ScheduleRun::steps; with several cores, steps of other subgraphs lie between
                 /// them.
        steps = 0;
    double latency = 0; ///< latency by R10.1
    double length = 0;  ///< time by which the subgraph delays the end of the run so far
    double startUp = 0; ///< part of `length` before the first run of the subgraph begins
    double drain = 0;   ///< part of `length` after the last run of the subgraph has ended
    double overlap = 0; ///< time in which units work in parallel although R10 adds them up, minus the stalls
    double early = 0;   ///< time from the begin of its commands to the end of the subgraphs before it
    std::array<double, kRunUnits> busy{};
};

/// The run of a schedule. `steps`, `commands`, `room` and `stalls` are empty if the run has more than
/// RunOptions::mostCommands commands; all sums are complete nevertheless.
struct ScheduleRun
{
    RunOptions options;
    Rules rules;
    double end = 0;
    double latency = 0;                         ///< total latency by R10
    std::array<RunUnitSums, kRunUnits> units{}; ///< sums over all cores
    std::vector<RunCoreSums> cores;
    std::int64_t loadUnits = 0, storeUnits = 0; ///< units moved between external and fast memories
    std::int64_t networkUnits = 0;              ///< units read from other cores
    double channelBusy = 0;                     ///< time of loads and stores of all cores over the channel
    std::int64_t peakUnits = 0;                 ///< largest amount of memory in use in any core
    std::int64_t stepCount = 0;
    /// False if the exact times have no common denominator that fits into 128 bits. Durations are then
    /// rounded to a multiple of 2^-40.
    bool exact = true;
    bool recorded = true; ///< false if there are too many commands to record
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

/// Runs a schedule (R20), given its evaluation under the rules of the run. Refuses, with a reason, a schedule
/// that breaks a rule, a number of cores out of range, a negative prefetch, donation=yes, and too many steps.
/// Returns an Error when stopped.
[[nodiscard]] Result<ScheduleRun> runSchedule(const Problem& problem, const Schedule& schedule,
                                              const Evaluation& evaluation, const RunOptions& options = {},
                                              const Progress& progress = {});
/// Evaluates the schedule and runs it.
[[nodiscard]] Result<ScheduleRun> runSchedule(const Problem& problem, const Schedule& schedule,
                                              const Rules& rules, const RunOptions& options = {},
                                              const Progress& progress = {});

} // namespace tilewright
