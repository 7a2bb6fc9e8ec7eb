// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on the NPU: options, result, and the comparison of both schedulers.
#pragma once

#include "base/progress.h"
#include "npu/dram.h"
#include "npu/graph.h"
#include "npu/static_schedule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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
    /// With the dynamic scheduler only HeadParallel has an effect.
    Assignment assignment = Assignment::CostAware;
    Weights weights;
    bool memoryBoundFirst = false; ///< memory-bound nodes first (docs/rules/npu.md 5.4)
    bool recordDram = false;       ///< record every DRAM event (one per burst group)
    /// Limit of the makespan in cycles, for searches. The run stops with an Error as soon as its makespan
    /// must exceed the limit.
    Cycle giveUpAfter = kNever;
};

/// State of a core in a cycle. If several apply, the state is the first of them (docs/rules/npu.md 5.5).
enum class CoreState : std::uint8_t { Tensor, Vector, WaitSpm, WaitNoc, WaitDram, WaitDependency, Idle };
inline constexpr std::size_t kCoreStates = 7;
/// "tensor", "vector", "wait_spm", "wait_noc", "wait_dram", "wait_dependency", "idle"
[[nodiscard]] std::string_view toString(CoreState state) noexcept;

/// Computation of a node on an engine, [start, end).
struct ComputeSpan
{
    std::uint32_t node = 0;
    Cycle start = 0, end = 0;
    bool operator==(const ComputeSpan&) const = default;
};

/// Transfer of a tile between DRAM and the SPM of a core in the cycles [start, end), or of a part of a tile
/// from another core.
struct TransferSpan
{
    std::uint32_t tile = 0;
    std::uint32_t node = 0;
    Cycle start = 0, end = 0;
    std::int64_t shared = 0; ///< bytes that the shared memory supplied instead of DRAM
    std::int64_t passed = 0; ///< bytes that the core `from` sent (docs/rules/npu.md 5.8)
    int from = -1;           ///< core whose SPM sends the data; -1: DRAM
    /// True for a load that joined another load of the same tile (docs/rules/npu.md 5.7).
    bool joined = false;
    bool operator==(const TransferSpan&) const = default;
};

/// Bytes that a transfer moves into or out of SPM.
[[nodiscard]] inline std::int64_t bytesMoved(const NpuGraph& graph, const TransferSpan& span) noexcept
{
    return span.from >= 0 ? span.passed : graph.tiles[span.tile].alignedBytes;
}

/// Interval [start, end) in which a core has one state.
struct StateSpan
{
    Cycle start = 0, end = 0;
    CoreState state = CoreState::Idle;
    std::uint32_t node = kNone;    ///< node that is computed, or for which the core waits
    std::uint32_t blocker = kNone; ///< WaitDependency: node whose result is awaited, if known
    std::uint32_t tile = kNone;    ///< WaitDram and WaitNoc: tile in transfer
    bool operator==(const StateSpan&) const = default;
};

/// A value that holds from `time` to the time of the next entry.
struct TimedValue
{
    Cycle time = 0;
    std::int64_t value = 0;
    bool operator==(const TimedValue&) const = default;
};

/// Choice of a node by a core. A replay repeats these choices in their order.
struct Choice
{
    std::uint32_t node = 0;
    Cycle time = 0;
    bool operator==(const Choice&) const = default;
};

/// Why the dynamic scheduler chose the first node of a unit: the terms of its score, each min-max normalised
/// over the candidates (docs/rules/npu.md 5.4).
struct ChoiceScore
{
    double criticalPath = 0, intensity = 0, dramStall = 0; ///< normalised terms, 0 to 1
    /// Number of units that the core could choose from; 0 = no score was needed.
    std::uint32_t candidates = 0;

    /// Score: w1 * critical path + w2 * intensity - w3 * DRAM stall.
    [[nodiscard]] double of(const Weights& weights) const noexcept
    {
        return weights.criticalPath * criticalPath + weights.intensity * intensity -
               weights.dramStall * dramStall;
    }
    bool operator==(const ChoiceScore&) const = default;
};

struct CoreRun
{
    std::vector<ComputeSpan> tensor, vector; ///< sorted by start
    std::vector<TransferSpan> loads, stores; ///< sorted by start
    std::vector<StateSpan> states;           ///< contiguous from 0 to the makespan
    std::vector<TimedValue> spm;             ///< bytes in use over time
    std::vector<Choice> choices;
    std::array<Cycle, kCoreStates> cycles{}; ///< cycles by CoreState; their sum is the makespan
    [[nodiscard]] Cycle of(CoreState state) const noexcept { return cycles[static_cast<std::size_t>(state)]; }
};

/// Result of one run, with lookup by core and time for the views.
struct NpuRun
{
    RunOptions options;
    NpuHardware hardware;
    Cycle makespan = 0;
    std::vector<CoreRun> cores;
    std::vector<std::uint16_t> coreOf; ///< per node: core that ran it
    std::vector<Cycle> doneAt;         ///< per node: end of its computation (KV_LOAD: of its load)
    /// Per node: end of its stores, or doneAt if it has none. For results that are not stored: the time from
    /// which no node needs them.
    std::vector<Cycle> storedAt;
    /// Per node: time from which other cores can use its results. It is doneAt if the results are passed on,
    /// else storedAt.
    std::vector<Cycle> availableAt;
    std::vector<ChoiceScore> scores;   ///< per unit; empty unless the dynamic scheduler chose the units
    std::vector<TimedValue> readySet;  ///< number of units that are ready and not started, over time
    std::vector<DramEvent> dramEvents; ///< empty unless recorded; sorted by start
    DramSeries dram;
    std::vector<Cycle> dramBusy; ///< per channel: cycles in which its bus was in use
    std::int64_t dramBytes = 0;
    std::int64_t sharedBytes = 0; ///< bytes that the shared memory supplied (docs/rules/npu.md 5.7)
    std::int64_t joinedBytes = 0; ///< part of sharedBytes in loads that joined another one (multicast)
    std::int64_t passedBytes = 0; ///< bytes that cores sent to other cores (docs/rules/npu.md 5.8)
    std::int64_t rowHits = 0, rowMisses = 0; ///< numbers of burst groups with a row hit (miss)
    /// Makespan estimated by the static schedule, in cycles; 0 = dynamic scheduler.
    Cycle estimatedMakespan = 0;
    std::int64_t steps = 0; ///< number of distinct event times

    /// State of a core at a time; null after the makespan.
    [[nodiscard]] const StateSpan* stateAt(std::size_t core, Cycle time) const noexcept;
    /// Used share of all DRAM bus cycles.
    [[nodiscard]] double dramUtilization() const noexcept;
};

/// Runs the graph on the machine of docs/rules/npu.md 5. `hardware` may differ from the graph's hardware in
/// cores, DRAM timing, NoC and a larger SPM, but in nothing else that the tiles depend on. Errors: the run
/// was stopped, or the watchdog found an internal deadlock. `steps` gets the number of simulated event times,
/// even if the run is abandoned.
[[nodiscard]] Result<NpuRun> simulate(const NpuGraph& graph, const NpuHardware& hardware,
                                      const RunOptions& options, const Progress& progress = {},
                                      std::int64_t* steps = nullptr);
/// Runs the graph with the given static schedule; options.scheduler must be Static.
[[nodiscard]] Result<NpuRun> simulateStatic(const NpuGraph& graph, const NpuHardware& hardware,
                                            const StaticSchedule& schedule, const RunOptions& options,
                                            const Progress& progress = {});

/// Replay program of one core: its nodes in order. Before a node with `sync`, the core waits until the unit
/// that starts with the node is ready, as under the dynamic scheduler.
struct CoreProgram
{
    std::vector<std::uint32_t> nodes;
    std::vector<bool> sync;
};
/// Runs the given programs, one per core, without a scheduler.
[[nodiscard]] Result<NpuRun> simulatePrograms(const NpuGraph& graph, const NpuHardware& hardware,
                                              const std::vector<CoreProgram>& programs,
                                              const RunOptions& options, const Progress& progress = {});
/// Runs the programs with the transfer times of `run` instead of a simulation of DRAM and NoC. This is exact
/// because DRAM and NoC depend on the transfers and their start times only. Returns an Error at the first
/// transfer that `run` does not contain.
[[nodiscard]] Result<NpuRun> retracePrograms(const NpuGraph& graph, const NpuRun& run,
                                             const std::vector<CoreProgram>& programs);

/// Run options as saved in a model file.
struct SavedRunOptions
{
    RunOptions options;
    bool isBest = false; ///< no scheduler is named: the fastest policy is used (docs/rules/npu.md 4.1)
};
/// The run options saved in the member "run" of a model file, which model readers ignore; nullopt if there
/// are none.
[[nodiscard]] Result<std::optional<SavedRunOptions>> runOptionsOf(std::string_view modelText,
                                                                  const std::string& file);
/// The text of a model file with these run options added.
[[nodiscard]] std::string withRunOptions(const std::string& modelText, const SavedRunOptions& saved);

/// Options of a static and of a dynamic run that are compared. Their assignments may differ.
struct BothSchedulers
{
    RunOptions fixed;   ///< options of the static scheduler
    RunOptions dynamic; ///< options of the dynamic scheduler
    BothSchedulers(const RunOptions& options = {}) : fixed(options), dynamic(options)
    {
        fixed.scheduler = Scheduler::Static;
        dynamic.scheduler = Scheduler::Dynamic;
    }
};

/// Makespans of both schedulers on one number of cores.
struct ScalingPoint
{
    int cores = 1;
    Cycle staticMakespan = 0, dynamicMakespan = 0;
    double staticSpeedup = 1, dynamicSpeedup = 1; ///< relative to one core with the same scheduler
    [[nodiscard]] double staticEfficiency() const noexcept { return staticSpeedup / cores; }
    [[nodiscard]] double dynamicEfficiency() const noexcept { return dynamicSpeedup / cores; }
};

/// Runs both schedulers on each number of cores; 1 is added if missing. All other options stay unchanged.
[[nodiscard]] Result<std::vector<ScalingPoint>> scaling(const NpuGraph& graph, const NpuHardware& hardware,
                                                        const BothSchedulers& schedulers,
                                                        std::vector<int> cores,
                                                        const Progress& progress = {});

} // namespace tilewright::npu
