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

/// Runs steps as they come (R20). A step is taken in when it is admitted, so that only those
/// that have not ended are in memory. Event-driven: time moves from one end of a command to the next.
class RunEngine
{
public:
    RunEngine(const Problem& problem, const Rules& rules, const RunClock& clock, std::int64_t prefetch,
              RunRecord& record);

    /// The steps from here on are those of the next subgraph. `resident`: RES before it.
    void beginSubgraph(const Subgraph& subgraph, std::span<const TensorId> resident);
    /// Lets time pass until the step is admitted. Returns false if it can never be.
    [[nodiscard]] bool take(const Step& step, const StepLinks& links);
    /// Lets time pass until everything has ended; returns the end. Empty if something cannot end.
    [[nodiscard]] std::optional<Ticks> finish();

private:
    // Each queue carries out its commands in order; the first one may be under way. A count of a queue means
    // that so many commands, its first ones, have ended.
    enum Queue : std::uint8_t { kArray, kVector, kLoad };
    using Counts = std::array<std::uint64_t, 3>;

    struct Store
    {
        RunCommand what;
        std::uint32_t gate = 0;
        bool isComplete = false; // its tile
    };
    struct StepState
    {
        SubgraphId subgraph;
        std::uint32_t loads = 0, runs = 0, stores = 0; // that have not ended
        std::uint32_t incomplete = 0;                  // stores whose tile is not complete
        std::vector<RoomLedger::ItemId> items;
        std::vector<Store> tiles; // to store, each as soon as a run completes it
    };
    struct Gate // the stores of a tensor by one subgraph
    {
        TensorId tensor;
        std::uint64_t left = 0; // that have not ended
    };
    struct Command // a run or a load
    {
        RunCommand what;
        Ticks duration = 0;
        Counts needs{};                     // of a run
        std::vector<std::uint32_t> gates{}; // of a load
        std::int32_t completes = -1;        // of a run: the tile of its step
    };

    [[nodiscard]] bool admits();
    void admit(const Step& step);
    void beginCommands();
    void beginTransfer();
    [[nodiscard]] bool passTime();
    [[nodiscard]] bool isBusy(RunUnit unit) const;
    [[nodiscard]] RunRecord::Wait waitOf(RunUnit unit) const;
    [[nodiscard]] RunRecord::Wait waitOfRun(const Command& run) const;
    [[nodiscard]] RunRecord::Wait waitOfStore() const;
    [[nodiscard]] const Command& command(Queue queue, std::uint64_t count) const
    {
        return m_queue[queue][count - 1 - m_ended[queue]];
    }
    void endRun(Queue queue);
    void endTransfer();
    void endStep(std::int64_t step);
    void endSubgraph();
    void nameLoads(const Step& step);
    void nameRuns(const Step& step, const StepLinks& links);
    void nameStore(const StepSink& sink);
    [[nodiscard]] Command loadOf(TensorId tensor, const Rect& rect, std::int64_t units) const;
    void addGates(TensorId read, std::vector<std::uint32_t>& gates) const;
    [[nodiscard]] std::uint32_t ownGate(TensorId stored);
    [[nodiscard]] Queue queueOf(OpId op) const
    {
        return m_problem.op(op).type == OpType::MatMul ? kArray : kVector;
    }
    [[nodiscard]] Counts needsOf(const Step& step, const StepLinks& links, std::uint32_t run) const;
    [[nodiscard]] StepState& state(std::int64_t step)
    {
        return m_steps[static_cast<std::size_t>(step - m_oldest)];
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const RunClock& m_clock;
    const std::int64_t m_prefetch;
    RunRecord& m_record;
    RoomLedger m_room;
    Ticks m_now = 0;

    // the subgraph whose steps are taken in
    SubgraphId m_subgraph;
    const Subgraph* m_current = nullptr;
    std::vector<TensorId> m_resident; // before it
    std::optional<StepCosts> m_costs;
    std::vector<std::uint32_t> m_ownGates; // of the tensors that it stores
    std::uint64_t m_keptLoads = 0;         // loads up to its last transfer of kept tensors (R9.7); 0: none
    // by step of the current tile, by run: its place in its queue, from 1
    std::vector<std::vector<std::uint64_t>> m_places;

    IdVector<TensorId, std::int64_t>
        m_gateOf;                            // by tensor: gate of the latest earlier subgraph that stores it
    IdVector<TensorId, Counts> m_completeAt; // by resident tensor: what must have ended
    std::vector<Gate> m_gates;

    std::deque<StepState> m_steps; // that were admitted, from the first one that has not ended
    std::int64_t m_oldest = 0;     // number of that one
    std::int64_t m_admitted = 0;   // number of steps
    StepState m_next;              // the step that waits for its admission
    std::vector<Command> m_nextLoads, m_nextRuns;
    RunWait m_held = RunWait::Nothing; // why it waits; Nothing: there is no further step

    std::array<std::deque<Command>, 3> m_queue; // by Queue
    std::deque<Store> m_stores;
    Counts m_named{}, m_ended{};
    std::array<std::optional<Ticks>, 2> m_running; // when the first run of array and vector ends
    struct Transfer
    {
        bool isStore = false;
        Ticks end = 0;
    };
    std::optional<Transfer> m_transfer; // of the first of the queue
};

} // namespace tilewright
