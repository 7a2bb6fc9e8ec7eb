// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "npu/dram.h"
#include "npu/graph.h"
#include "npu/static_schedule.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewright::npu {

enum class Scheduler { Static, Dynamic };
[[nodiscard]] std::string_view toString(Scheduler scheduler) noexcept;

/// Weights of the dynamic score (docs/rules/npu.md 5.4).
struct Weights
{
    double criticalPath = 1.0;
    double intensity = 0.3;
    double dramStall = 0.5;
    bool operator==(const Weights&) const = default;
};

struct RunOptions
{
    Scheduler scheduler = Scheduler::Dynamic;
    Assignment assignment = Assignment::CostAware; ///< dynamic: only HeadParallel matters
    Weights weights;
    bool memoryBoundFirst = false; ///< docs/rules/npu.md 5.4
    bool recordDram = false;       ///< keep every DRAM event (one per burst group)
    /// A run that is longer, or can be told to become so by what it has left, is stopped with an Error: for
    /// searches.
    Cycle giveUpAfter = kNever;
};

/// What a core did in a cycle: the first that holds (docs/rules/npu.md 5.5).
enum class CoreState : std::uint8_t { Tensor, Vector, WaitSpm, WaitNoc, WaitDram, WaitDependency, Idle };
inline constexpr std::size_t kCoreStates = 7;
/// "tensor", "vector", "wait_spm", "wait_noc", "wait_dram", "wait_dependency", "idle"
[[nodiscard]] std::string_view toString(CoreState state) noexcept;

/// A node on an engine, [start, end).
struct ComputeSpan
{
    std::uint32_t node = 0;
    Cycle start = 0, end = 0;
    bool operator==(const ComputeSpan&) const = default;
};

/// A tile on its way between DRAM and a core's SPM, [start, end).
struct TransferSpan
{
    std::uint32_t tile = 0;
    std::uint32_t node = 0;
    Cycle start = 0, end = 0;
    bool operator==(const TransferSpan&) const = default;
};

/// A stretch of cycles of one core with one state, [start, end).
struct StateSpan
{
    Cycle start = 0, end = 0;
    CoreState state = CoreState::Idle;
    std::uint32_t node = kNone;    ///< computing, or the one that waits
    std::uint32_t blocker = kNone; ///< wait dependency: the node waited for, when it is known
    std::uint32_t tile = kNone;    ///< wait DRAM or NoC: the tile on its way
    bool operator==(const StateSpan&) const = default;
};

/// A value that holds from `time` to the next step.
struct TimedValue
{
    Cycle time = 0;
    std::int64_t value = 0;
    bool operator==(const TimedValue&) const = default;
};

/// A node was chosen by a core; the order is what a replay needs.
struct Choice
{
    std::uint32_t node = 0;
    Cycle time = 0;
    bool operator==(const Choice&) const = default;
};

struct CoreRun
{
    std::vector<ComputeSpan> tensor, vector; ///< in order of start
    std::vector<TransferSpan> loads, stores; ///< in order of start
    std::vector<StateSpan> states;           ///< without gaps from 0 to the makespan
    std::vector<TimedValue> spm;             ///< bytes in use
    std::vector<Choice> choices;
    std::array<Cycle, kCoreStates> cycles{}; ///< per CoreState; the sum is the makespan
    [[nodiscard]] Cycle of(CoreState state) const noexcept { return cycles[static_cast<std::size_t>(state)]; }
};

/// One execution, as random-access data for the views.
struct NpuRun
{
    RunOptions options;
    NpuHardware hardware;
    Cycle makespan = 0;
    std::vector<CoreRun> cores;
    std::vector<std::uint16_t> coreOf; ///< per node
    std::vector<Cycle> doneAt;         ///< per node: end of compute (of the load for KV_LOAD)
    std::vector<Cycle> storedAt;       ///< per node: end of its stores, or doneAt without any
    std::vector<TimedValue> readySet;  ///< units that could start and have not
    std::vector<DramEvent> dramEvents; ///< when recorded, in order of start
    DramSeries dram;
    std::vector<Cycle> dramBusy; ///< per channel: cycles its bus was held
    std::int64_t dramBytes = 0;
    std::int64_t rowHits = 0, rowMisses = 0; ///< burst groups
    Cycle estimatedMakespan = 0;             ///< of the static schedule that was run, 0 for dynamic
    std::int64_t steps = 0;                  ///< distinct times at which something happened

    /// The state of a core at a time, nothing beyond the makespan.
    [[nodiscard]] const StateSpan* stateAt(std::size_t core, Cycle time) const noexcept;
    /// Share of all DRAM bus cycles that were used.
    [[nodiscard]] double dramUtilization() const noexcept;
};

/// Runs the graph on the machine of docs/rules/npu.md 5. `hardware` may differ from the graph's in cores,
/// DRAM timing and NoC, but not in what the tiles depend on (SPM may only be larger). Errors: stopped, or an
/// internal deadlock found by the watchdog. `steps` gets what was simulated also of a run that is given up.
[[nodiscard]] Result<NpuRun> simulate(const NpuGraph& graph, const NpuHardware& hardware,
                                      const RunOptions& options, const Progress& progress = {},
                                      std::int64_t* steps = nullptr);
/// The same with a static schedule made by the caller (options.scheduler is then Static).
[[nodiscard]] Result<NpuRun> simulateStatic(const NpuGraph& graph, const NpuHardware& hardware,
                                            const StaticSchedule& schedule, const RunOptions& options,
                                            const Progress& progress = {});

/// One core's program for a replay: nodes in order; a node with `sync` is not looked at before the unit that
/// it starts is ready (what a dynamic scheduler waits for).
struct CoreProgram
{
    std::vector<std::uint32_t> nodes;
    std::vector<bool> sync;
};
/// Runs given programs, one per core, without any scheduler.
[[nodiscard]] Result<NpuRun> simulatePrograms(const NpuGraph& graph, const NpuHardware& hardware,
                                              const std::vector<CoreProgram>& programs,
                                              const RunOptions& options, const Progress& progress = {});
/// The same with the memory's answers of a run: DRAM and NoC see nothing but the transfers, so the same ones,
/// begun at the same times, end at the same times. An Error at the first transfer that is not the run's.
[[nodiscard]] Result<NpuRun> retracePrograms(const NpuGraph& graph, const NpuRun& run,
                                             const std::vector<CoreProgram>& programs);

} // namespace tilewright::npu
