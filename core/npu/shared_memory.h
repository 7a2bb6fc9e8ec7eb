// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/hardware.h"

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace tilewright::npu {

/// Contents of the memory that all cores share (docs/rules/npu.md 5.7). The memory holds interleave blocks,
/// and knows which bursts of each block were loaded or stored. The least recently used block is evicted.
/// Slots are numbered as in Noc.
class SharedMemory
{
public:
    explicit SharedMemory(const NpuHardware& hardware);
    [[nodiscard]] bool isThere() const noexcept { return m_capacity > 0; }

    /// Begins the transfer of a tile in a free slot.
    void begin(int slot, std::uint32_t tile, bool isStore);
    /// Offers a group of adjacent bursts of one interleave block of the transfer. Returns true if the memory
    /// supplies the group; otherwise the group comes from DRAM (or goes there) and is in the memory from now
    /// on.
    bool take(int slot, std::int64_t address, std::int64_t bursts);
    /// Called when all groups of the transfer were offered to take(). `isHeld`: the memory supplies all of
    /// them. If the transfer joins a load of the same tile under way (multicast), returns the slot of the
    /// oldest such load; else -1.
    int close(int slot, bool isHeld);
    /// `bytes` of the load that a slot joined have already come. The slot receives them now.
    void catchUp(int slot, int leader, std::int64_t bytes);
    /// Slots that receive the same data as this slot at the same time.
    [[nodiscard]] const std::vector<int>& followersOf(int slot) const noexcept { return at(slot).followers; }
    /// Ends the transfer. The data that it loaded is available to other transfers from now on.
    void finish(int slot);

    /// Total number of bytes that the memory supplies to the transfer.
    [[nodiscard]] std::int64_t suppliedBytes(int slot) const noexcept { return at(slot).supplied; }
    /// True if the memory still has to deliver bytes to the transfer.
    [[nodiscard]] bool owes(int slot) const noexcept { return at(slot).owed; }
    /// Calls deliver(slot, bytes, leader) for each transfer whose supplied bytes are all in the memory now.
    /// `leader`: the load that the transfer joined, which has received these bytes; -1: none.
    template <typename F> void deliver(F&& deliver)
    {
        if (m_due.empty())
            return;
        for (const Due& due : m_due) {
            at(due.slot).owed = false;
            deliver(due.slot, due.bytes, due.leader);
        }
        m_due.clear();
    }

private:
    struct Block
    {
        std::uint64_t parts = 0; ///< mask of the bursts of the block that are present or being loaded
        int loader = -1;         ///< slot of a load that brings some of these bursts; -1: none
        std::uint64_t load = 0;  ///< number of the transfer in the slot `loader`
        std::list<std::int64_t>::iterator use;
    };
    struct Slot
    {
        std::uint64_t transfer = 0; ///< number of the active transfer, 0 = none
        std::uint32_t tile = 0;
        bool isStore = false;
        bool owed = false;
        std::int64_t supplied = 0;
        std::vector<int> waitsFor;  ///< slots of the loads that this transfer waits for
        std::vector<int> followers; ///< slots of transfers that joined this load
    };
    struct Due
    {
        int slot = 0;
        std::int64_t bytes = 0;
        int leader = -1;
    };
    [[nodiscard]] const Slot& at(int slot) const noexcept { return m_slots[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] Slot& at(int slot) noexcept { return m_slots[static_cast<std::size_t>(slot)]; }

    std::int64_t m_burst, m_interleave, m_part;
    std::size_t m_capacity; ///< capacity in interleave blocks
    bool m_multicast;
    std::unordered_map<std::int64_t, Block> m_blocks;
    std::list<std::int64_t> m_uses; ///< blocks, the least recently used first
    std::vector<Slot> m_slots;
    std::vector<Due> m_due;
    std::uint64_t m_transfers = 0;
};

} // namespace tilewright::npu
