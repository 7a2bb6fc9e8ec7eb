// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/step_links.h"
#include "run/room_ledger.h"
#include "run/run_clock.h"
#include "run/run_record.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// State that all cores of a run share.
struct RunShared
{
    /// A gate: loads of a tensor pass it when one subgraph has stored the tensor.
    struct Gate
    {
        TensorId tensor;
        SubgraphId subgraph;
        std::uint64_t left = 0; ///< number of stores that were named and have not ended
    };
    struct SubgraphState
    {
        std::uint64_t runs = 0, keptLoads = 0; ///< numbers of commands that were named and have not ended
        std::size_t unnamed = 0; ///< number of cores that have not named all their steps; 0 with one core
        std::int64_t steps = 0;  ///< with several cores: number of steps that have not ended
        std::vector<std::uint32_t> gates; ///< gates of the tensors that the subgraph stores
    };

    const Problem& problem;
    const Rules& rules;
    const RunClock& clock;
    RunRecord& record;
    std::int64_t prefetch = 1;
    std::size_t cores = 1;
    Ticks now = 0;
    std::vector<Gate> gates{};
    std::vector<SubgraphState> subgraphs{};
    std::optional<std::size_t> channel{}; ///< core whose transfer currently uses the channel
    /// Subgraphs that have ended on all cores since all cores were last notified.
    std::vector<SubgraphId> ended{};

    [[nodiscard]] SubgraphState& of(SubgraphId s) { return subgraphs[s.index()]; }
    [[nodiscard]] const SubgraphState& of(SubgraphId s) const { return subgraphs[s.index()]; }
    [[nodiscard]] bool isOpen(std::uint32_t gate) const ///< true if a load may pass it
    {
        return gates[gate].left == 0 && of(gates[gate].subgraph).unnamed == 0;
    }
    void endStep(SubgraphId s)
    {
        if (cores > 1 && --of(s).steps == 0)
            ended.push_back(s);
    }
};

/// One core of a run (R20, docs/rules/run.md 5). It names the commands of a step, admits the step, and begins
/// and ends commands. A RunEngine advances the time and assigns the channel and the network. A step is stored
/// when it is admitted, so that only steps that have not ended are in memory.
class RunCore
{
public:
    RunCore(RunShared& shared, std::uint16_t core);

    /// Starts the next subgraph: the following steps belong to it. `resident`: tensors resident before it
    /// (RES).
    void beginSubgraph(SubgraphId id, const Subgraph& subgraph, std::span<const TensorId> resident);
    /// Reports that all steps of the current subgraph are named. Later steps read what it stores and retains.
    void endSubgraph();
    /// Names the commands of the next step, which then waits for its admission. `last`: it is the last step
    /// of its stretch.
    void name(const Step& step, const StepLinks& links, bool last);
    [[nodiscard]] bool admits();
    void admit();
    /// Reports that there is no further step.
    void nameNothing() { m_held = RunWait::Nothing; }

    void beginRuns();
    /// Begins a transfer over the channel, which must be free. Returns false if no transfer is ready.
    [[nodiscard]] bool beginTransfer();
    /// Begins a transfer over the network. Returns false if no transfer is ready.
    [[nodiscard]] bool beginNetworkRead();
    [[nodiscard]] bool isOnNetwork() const { return m_loading && m_queue[kLoad].front().what.network; }
    /// Time at which the next command ends; empty if no command is running.
    [[nodiscard]] std::optional<Ticks> nextEnd() const;
    /// Records what each unit waits for until the time `next`.
    void wait(Ticks next);
    /// Ends the commands whose end is now.
    void endCommands();
    /// Reports that the subgraph has ended on all cores, so that its reserved memory is released.
    void release(SubgraphId subgraph);
    [[nodiscard]] bool isOver() const { return m_steps.empty(); }

private:
    // A queue executes its commands in order; the first one may be running. A count of a queue is the number
    // of its commands, from the first one on, that must have ended.
    enum Queue : std::uint8_t { kArray, kVector, kLoad };
    using Counts = std::array<std::uint64_t, 3>;

    /// The subgraph that produced or kept a resident tensor (R9.7).
    struct Origin
    {
        TensorId tensor;
        SubgraphId subgraph;
        bool kept = false;
    };
    struct Store
    {
        RunCommand what;
        std::uint32_t gate = 0;
        bool isComplete = false; // true if the tile is computed
    };
    struct StepState
    {
        RunStep what;
        std::int64_t place = -1;                       // index in ScheduleRun::steps
        std::uint32_t loads = 0, runs = 0, stores = 0; // numbers of commands that have not ended
        std::uint32_t incomplete = 0;                  // number of stores whose tile is not computed yet
        std::vector<RoomLedger::ItemId> items;
        std::vector<Store> tiles; // tiles to store, each as soon as a run completes it
    };
    struct Command // a run or a load
    {
        RunCommand what;
        Ticks duration = 0;
        Counts needs{};                     // run: counts of each queue that must have ended before it begins
        std::vector<std::uint32_t> gates{}; // load: gates of the tensors that it reads
        std::vector<Origin> origins{}; // with several cores: origins of the resident tensors that it reads
        std::int32_t completes = -1;   // run: index of the tile of its step that it completes; -1: none
    };

    // Functions of run_core_names.cpp:
    void nameLoads(const Step& step);
    void nameNetworkRead(const StepLinks& links);
    void nameRuns(const Step& step, const StepLinks& links);
    void nameStore(const StepSink& sink);
    void nameParts(const Step& step);
    [[nodiscard]] RunCommand command(RunUnit unit) const;
    [[nodiscard]] Command loadOf(TensorId tensor, const Rect& rect, std::int64_t units) const;
    void addGates(TensorId read, std::vector<std::uint32_t>& gates) const;
    void addNeeds(const Step& step, const StepLinks& links, std::uint32_t index, Command& run) const;
    [[nodiscard]] Queue queueOf(OpId op) const
    {
        return m_problem.op(op).type == OpType::MatMul ? kArray : kVector;
    }

    // Functions of run_core.cpp:
    void record(RunCommand what, Ticks end);
    [[nodiscard]] bool isReady(const Command& command) const;
    [[nodiscard]] bool isComplete(const Origin& origin) const;
    void endRun(Queue queue);
    void endLoad();
    void endStore();
    void endStep(std::int64_t step);
    [[nodiscard]] StepState& state(std::int64_t step)
    {
        return m_steps[static_cast<std::size_t>(step - m_oldest)];
    }

    // Functions of run_core_waits.cpp:
    [[nodiscard]] bool isBusy(RunUnit unit) const;
    [[nodiscard]] RunRecord::Wait waitOf(RunUnit unit) const;
    [[nodiscard]] RunRecord::Wait waitOfRun(const Command& run) const;
    [[nodiscard]] RunRecord::Wait waitOfLoad(const Command& load) const;
    [[nodiscard]] RunRecord::Wait waitOfStore() const;
    [[nodiscard]] std::optional<RunRecord::Wait> waitOfOrigin(const Command& command) const;
    [[nodiscard]] const Command& command(Queue queue, std::uint64_t count) const
    {
        return m_queue[queue][count - 1 - m_ended[queue]];
    }

    RunShared& m_shared;
    const Problem& m_problem;
    const std::uint16_t m_core;
    RoomLedger m_room;

    // The subgraph whose steps are being named:
    SubgraphId m_subgraph;
    const Subgraph* m_current = nullptr;
    std::vector<TensorId> m_resident; // tensors resident before the subgraph
    std::optional<StepCosts> m_costs;
    // Number of loads up to the subgraph's last transfer of kept tensors (R9.7); 0: none.
    std::uint64_t m_keptLoads = 0;
    // Per step of the current tile and per run: its position in its queue, from 1.
    std::vector<std::vector<std::uint64_t>> m_places;
    // True while the subgraph's reserved memory is held, until the subgraph has ended on all cores.
    bool m_holdsReserved = false;

    IdVector<TensorId, std::int64_t>
        m_gateOf; // per tensor: gate of the latest earlier subgraph that stores it
    // With one core, per resident tensor: counts that must have ended.
    IdVector<TensorId, Counts> m_completeAt;

    // With several cores:
    IdVector<TensorId, Origin> m_origin;           // per resident tensor
    IdVector<TensorId, std::vector<Rect>> m_parts; // per resident tensor: the parts that this core holds
    // Per retained tensor: the parts that this core holds after the current subgraph.
    IdVector<TensorId, std::vector<Rect>> m_made;
    std::uint64_t m_networkLoads = 0; // number of loads up to the last one over the network; 0: none
    struct Reservation
    {
        SubgraphId subgraph;
        std::vector<RoomLedger::ItemId> items;
    };
    std::vector<Reservation> m_reservations;

    std::deque<StepState> m_steps; // admitted steps from the first one that has not ended
    std::int64_t m_oldest = 0;     // number of the first step in m_steps
    std::int64_t m_admitted = 0;   // number of admitted steps
    StepState m_next;              // the step that waits for its admission
    std::vector<Command> m_nextLoads, m_nextRuns;
    RunWait m_held = RunWait::Nothing; // why m_next waits; Nothing: there is no further step

    std::array<std::deque<Command>, 3> m_queue; // indexed by Queue
    std::deque<Store> m_stores;
    Counts m_named{}, m_ended{};
    // End of the current run of the array and of the vector unit.
    std::array<std::optional<Ticks>, 2> m_running;
    std::optional<Ticks> m_loading, m_storing; // end of the current load and of the current store
};

} // namespace tilewright
