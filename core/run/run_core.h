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

/// State that the cores of a run share.
struct RunShared
{
    /// The stores of a tensor by one subgraph.
    struct Gate
    {
        TensorId tensor;
        SubgraphId subgraph;
        std::uint64_t left = 0; ///< stores that were named and have not ended
    };
    struct SubgraphState
    {
        std::uint64_t runs = 0, keptLoads = 0; ///< commands that were named and have not ended
        std::size_t unnamed = 0;               ///< cores that have not named all their steps; 0 with one core
        std::int64_t steps = 0;                ///< with several cores: steps that have not ended
        std::vector<std::uint32_t> gates;      ///< gates of the tensors that it stores
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
    std::optional<std::size_t> channel{}; ///< core whose transfer is under way over the channel
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
/// and ends commands; a RunEngine lets time pass and lends the channel and the network. A step is taken in
/// when it is admitted, so that only those that have not ended are in memory.
class RunCore
{
public:
    RunCore(RunShared& shared, std::uint16_t core);

    /// The steps from here on are those of the next subgraph. `resident`: RES before it.
    void beginSubgraph(SubgraphId id, const Subgraph& subgraph, std::span<const TensorId> resident);
    /// All steps of the current subgraph are named: later ones read what it stores and retains.
    void endSubgraph();
    /// Names the commands of the next step, which then waits for its admission. `last`: of its stretch.
    void name(const Step& step, const StepLinks& links, bool last);
    [[nodiscard]] bool admits();
    void admit();
    /// True if there is no further step.
    void nameNothing() { m_held = RunWait::Nothing; }

    void beginRuns();
    /// Begins a transfer over the channel, which is free. Returns false if none is ready.
    [[nodiscard]] bool beginTransfer();
    /// Begins a transfer over the network. Returns false if none is ready.
    [[nodiscard]] bool beginNetworkRead();
    [[nodiscard]] bool isOnNetwork() const { return m_loading && m_queue[kLoad].front().what.network; }
    /// When the next command ends; empty if none is under way.
    [[nodiscard]] std::optional<Ticks> nextEnd() const;
    /// Records what units wait for until `next`.
    void wait(Ticks next);
    /// Ends the commands that end now.
    void endCommands();
    /// The subgraph has ended on all cores: what it reserves may go.
    void release(SubgraphId subgraph);
    [[nodiscard]] bool isOver() const { return m_steps.empty(); }

private:
    // Each queue carries out its commands in order; the first one may be under way. A count of a queue means
    // that so many commands, its first ones, have ended.
    enum Queue : std::uint8_t { kArray, kVector, kLoad };
    using Counts = std::array<std::uint64_t, 3>;

    /// The subgraph that made a resident tensor, or kept it (R9.7).
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
        std::int64_t place = -1;                       // in ScheduleRun::steps
        std::uint32_t loads = 0, runs = 0, stores = 0; // commands that have not ended
        std::uint32_t incomplete = 0;                  // stores whose tile is not complete
        std::vector<RoomLedger::ItemId> items;
        std::vector<Store> tiles; // to store, each as soon as a run completes it
    };
    struct Command // a run or a load
    {
        RunCommand what;
        Ticks duration = 0;
        Counts needs{};                     // of a run: what must have ended before it
        std::vector<std::uint32_t> gates{}; // of a load: gates of what it reads
        std::vector<Origin> origins{};      // with several cores: resident tensors that it reads
        std::int32_t completes = -1;        // of a run: tile of its step that it completes; -1: none
    };

    // run_core_names.cpp
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

    // run_core.cpp
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

    // run_core_waits.cpp
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

    // the subgraph whose steps are named
    SubgraphId m_subgraph;
    const Subgraph* m_current = nullptr;
    std::vector<TensorId> m_resident; // before it
    std::optional<StepCosts> m_costs;
    std::uint64_t m_keptLoads = 0; // loads up to the subgraph's last transfer of kept tensors (R9.7); 0: none
    // by step of the current tile, by run: its place in its queue, from 1
    std::vector<std::vector<std::uint64_t>> m_places;
    bool m_holdsReserved = false; // what it reserves, until it has ended on all cores

    IdVector<TensorId, std::int64_t>
        m_gateOf;                            // by tensor: gate of the latest earlier subgraph that stores it
    IdVector<TensorId, Counts> m_completeAt; // by resident tensor: what must have ended, on one core

    // of several cores
    IdVector<TensorId, Origin> m_origin;           // by resident tensor
    IdVector<TensorId, std::vector<Rect>> m_parts; // by resident tensor: what is in this core
    IdVector<TensorId, std::vector<Rect>> m_made;  // by retained tensor: likewise, by the current subgraph
    std::uint64_t m_networkLoads = 0;              // loads up to the last one over the network; 0: none
    struct Reservation
    {
        SubgraphId subgraph;
        std::vector<RoomLedger::ItemId> items;
    };
    std::vector<Reservation> m_reservations;

    std::deque<StepState> m_steps; // admitted steps, from the first one that has not ended
    std::int64_t m_oldest = 0;     // number of that one
    std::int64_t m_admitted = 0;   // number of steps
    StepState m_next;              // the step that waits for its admission
    std::vector<Command> m_nextLoads, m_nextRuns;
    RunWait m_held = RunWait::Nothing; // why it waits; Nothing: there is no further step

    std::array<std::deque<Command>, 3> m_queue; // by Queue
    std::deque<Store> m_stores;
    Counts m_named{}, m_ended{};
    std::array<std::optional<Ticks>, 2> m_running; // when the first run of array and vector ends
    std::optional<Ticks> m_loading, m_storing;     // likewise of the loads and the stores
};

} // namespace tilewright
