// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/hardware.h"

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace tilewright::npu {

/// Contents of the memory that all cores share (docs/rules/npu.md 5.7). It holds interleave blocks, and in
/// each block the bursts that were loaded or stored. The least recently used block is evicted. Slots are
/// numbered as those of Noc.
class SharedMemory
{
public:
    explicit SharedMemory(const NpuHardware& hardware);
    [[nodiscard]] bool isThere() const noexcept { return m_capacity > 0; }

    /// Begins the transfer of a tile in a free slot.
    void begin(int slot, std::uint32_t tile, bool isStore);
    /// A group of adjacent bursts of one interleave block of the transfer. Returns true if the memory
    /// supplies it; otherwise it comes from DRAM (or goes there), and is in the memory from now on.
    bool take(int slot, std::int64_t address, std::int64_t bursts);
    /// All groups of the transfer were taken. `isHeld`: the memory supplies all of them. Returns the slot of
    /// the oldest load of the same tile that is on its way, if the transfer joins it (multicast); else -1.
    int close(int slot, bool isHeld);
    /// `bytes` of the load that a slot joins have come; the slot gets them, too.
    void catchUp(int slot, int leader, std::int64_t bytes);
    /// Slots that get what this slot gets, at the same time.
    [[nodiscard]] const std::vector<int>& followersOf(int slot) const noexcept { return at(slot).followers; }
    /// Ends the transfer: the data that it loaded is now available to others.
    void finish(int slot);

    /// Bytes that the memory supplies to the transfer, in all.
    [[nodiscard]] std::int64_t suppliedBytes(int slot) const noexcept { return at(slot).supplied; }
    /// True if the memory has bytes for the transfer that it has not delivered yet.
    [[nodiscard]] bool owes(int slot) const noexcept { return at(slot).owed; }
    /// Calls deliver(slot, bytes, leader) for each transfer whose bytes are all there now. `leader`: the load
    /// that it joined, which has had these bytes; -1: none.
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
        std::uint64_t parts = 0; ///< mask of the bursts that are present or being loaded
        int loader = -1;         ///< slot of a load of some of these bursts
        std::uint64_t load = 0;  ///< number of the transfer of that slot
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
        std::vector<int> followers; ///< slots that joined its load
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
    std::size_t m_capacity; ///< capacity in blocks
    bool m_multicast;
    std::unordered_map<std::int64_t, Block> m_blocks;
    std::list<std::int64_t> m_uses; ///< blocks, the least recently used first
    std::vector<Slot> m_slots;
    std::vector<Due> m_due;
    std::uint64_t m_transfers = 0;
};

} // namespace tilewright::npu
