// SPDX-License-Identifier: GPL-3.0-or-later
// The event-driven machine of docs/rules/npu.md 5. Users include run.h instead.
#pragma once

#include "npu/dynamic_policy.h"
#include "npu/forwarding.h"
#include "npu/noc.h"
#include "npu/run.h"
#include "npu/spm.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tilewright::npu {

/// One simulated run. A core has at most one node per engine and one pending node, whose tiles are allocated
/// and loaded while the engines compute. Order at each event time: buses are released and bytes arrive;
/// transfers end (loads, then stores, by core); computations end (by core, tensor first); cores advance in
/// order of id until none can; NoC shares and DRAM are updated.
class NpuSimulator
{
public:
    NpuSimulator(const NpuGraph& graph, const NpuHardware& hardware, const RunOptions& options);
    /// Runs the programs or, if there are none, the scheduler of the options.
    Result<NpuRun> execute(const std::vector<CoreProgram>& programs, const Progress& progress);
    /// Number of event times simulated so far.
    [[nodiscard]] std::int64_t steps() const noexcept { return m_run.steps; }
    /// Runs the programs with the transfer times of `run`.
    Result<NpuRun> retrace(const std::vector<CoreProgram>& programs, const NpuRun& run);

private:
    struct Core
    {
        explicit Core(std::int64_t spmBytes) : spm(spmBytes) {}
        Spm spm;
        // State of the pending node:
        std::uint32_t pending = kNone;
        bool allocated = false;
        std::vector<std::uint32_t> toLoad; ///< tiles of the pending node that are not in SPM yet
        std::size_t depCursor = 0;         ///< number of dependencies that are known to be met
        // Engines: 0 = tensor, 1 = vector.
        std::uint32_t running[2] = {kNone, kNone};
        Cycle runEnd[2] = {kNever, kNever};
        // DMA transfers:
        TransferSpan load, store;
        bool loading = false, storing = false;
        std::deque<TransferSpan> storeQueue;
        // Core-to-core transfers (docs/rules/npu.md 5.8):
        bool sending = false;          ///< true while the store DMA sends to another core
        std::deque<TransferSpan> held; ///< stores of results that are held back
        /// Tiles of the pending node that come from other cores, each with its parts that have not come yet.
        std::vector<std::pair<std::uint32_t, std::vector<TilePart>>> arriving;
        TilePart part; ///< part of a tile that `load` brings from another core
        // Next node to choose:
        std::uint32_t openUnit = kNone;
        std::size_t nextInUnit = 0;
        const CoreProgram* program = nullptr;
        std::size_t programAt = 0;
        /// Nodes that have started and have dependants, whose results other cores cannot use yet.
        std::vector<std::uint32_t> unstored;
        // Attribution of cycles to states:
        StateSpan open;
        int openSlot = -1; ///< slot of the transfer that the open state waits for
        bool isOpen = false;
    };

    void control(Cycle now);
    bool endTransfers(Cycle now);
    void endComputations(Cycle now);
    bool advance(std::size_t c, Cycle now);
    void countWork();
    [[nodiscard]] Cycle minRemainingCycles() const;
    bool choose(std::size_t c, Cycle now);
    bool allocatePending(std::size_t c, Cycle now);
    bool startLoad(std::size_t c, Cycle now);
    bool startStore(std::size_t c, Cycle now);
    void beginTransfer(std::size_t c, bool isStore, Cycle now);
    int shareOf(std::size_t c, int slot, bool isStore);
    void arrive(int slot, std::int64_t bytes, Cycle now);
    /// True if all bytes of the transfer in this slot have come to the NoC.
    [[nodiscard]] bool isComplete(int slot) const noexcept
    {
        return m_dram.remainingBytes(slot) == 0 && !m_shared.owes(slot);
    }
    bool startPending(std::size_t c, Cycle now);
    [[nodiscard]] bool dependenciesMet(std::size_t c);
    [[nodiscard]] bool isReadyFor(std::size_t c, std::uint32_t unit) const;
    [[nodiscard]] std::vector<std::uint32_t> earlyUnits(std::size_t c) const;
    Result<NpuRun> loop(const Progress& progress);
    [[nodiscard]] bool nothingLeft(std::size_t c) const;
    void startUnit(std::uint32_t unit);
    void complete(std::size_t c, std::uint32_t node, Cycle now);
    void stored(std::uint32_t node, Cycle now);
    void makeAvailable(std::uint32_t node, Cycle now);
    void storeHeld(std::size_t c, std::uint32_t tile);
    void makeRoom(std::size_t c, const std::vector<Spm::Need>& needs, std::int64_t extra);
    std::optional<bool> startReceiving(std::size_t c, std::uint32_t tile, Cycle now);
    void endReceiving(std::size_t c, Cycle now);
    void releaseResults(std::uint32_t node, Cycle now);
    [[nodiscard]] bool comesTooLate(std::uint32_t tile, std::uint32_t last) const;
    void attribute(std::size_t c, Cycle now);
    void closeState(std::size_t c, Cycle now);
    void emitState(std::size_t c, StateSpan span);
    void recordSpm(std::size_t c, Cycle now);
    void recordReady(Cycle now);
    Result<NpuRun> finish(Cycle now);
    /// Ends the transfer of a slot.
    void endTransfer(int slot, Cycle now);
    [[nodiscard]] static int loadSlot(std::size_t c) { return static_cast<int>(2 * c); }
    [[nodiscard]] static int storeSlot(std::size_t c) { return static_cast<int>(2 * c + 1); }

    const NpuGraph& m_graph;
    NpuHardware m_hw;
    RunOptions m_options;
    std::vector<Cycle> m_cp;
    Adjacency m_writes; ///< node -> tiles that overlap its output
    Dram m_dram;
    Noc m_noc;
    SharedMemory m_shared;
    Forwarding m_forwarding;
    std::unique_ptr<ReadySet> m_ready; ///< set for the dynamic scheduler only
    const NpuRun* m_traced = nullptr;  ///< run that supplies the transfer times of retrace()
    bool m_deviates = false;           ///< true if the traced run does not contain a transfer
    std::vector<Core> m_cores;
    /// Per tile: number of overlapping nodes whose results are not stored yet.
    std::vector<std::uint32_t> m_unwritten;
    /// Per unit: number of dependencies outside the unit that are not available yet.
    std::vector<std::uint32_t> m_unitWaits;
    /// Per unit: sum of the ids of its open dependencies outside the unit.
    std::vector<std::uint64_t> m_unitWaitSum;
    std::vector<bool> m_unitStarted, m_accAllocated;
    std::vector<std::uint8_t> m_isResultStored; ///< per tile; used only with core-to-core transfers
    std::vector<std::uint8_t> m_isDone;
    /// Per node: other cores may use its result, which is stored or will be passed on.
    std::vector<std::uint8_t> m_isAvailable;
    std::vector<std::uint32_t> m_storesLeft;
    /// Number of units not started: per core under head_parallel; the last entry counts units that any core
    /// may run.
    std::vector<std::uint32_t> m_unitsLeft;
    std::size_t m_readyCount = 0;
    std::size_t m_nodesLeft = 0;
    Cycle m_nextRunEnd = kNever; ///< earliest end of a computation
    std::uint64_t m_age = 0;
    // Remaining work, counted only under giveUpAfter:
    /// Bytes of results, plus bytes of each operand that no node produces, counted once.
    std::int64_t m_bytesLeft = 0;
    std::array<Cycle, 2> m_cyclesLeft{}; ///< per engine: compute cycles of nodes not started
    /// Per tile: true for an operand that no node produces and that has not been loaded yet.
    std::vector<std::uint8_t> m_isUnread;
    NpuRun m_run;
};

} // namespace tilewright::npu
