// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/hardware.h"

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace tilewright::npu {

/// What the memory shared by all cores holds (docs/rules/npu.md 5.7). It keeps interleave blocks, and of each
/// the bursts that were loaded or stored; the least recently used block gives way. Slots as those of Noc.
class SharedMemory
{
public:
    explicit SharedMemory(const NpuHardware& hardware);
    [[nodiscard]] bool isThere() const noexcept { return m_capacity > 0; }

    /// Begins a transfer in a free slot.
    void begin(int slot, bool isStore);
    /// A group of adjacent bursts of one interleave block of the transfer. Returns true if the memory
    /// supplies it; otherwise it comes from DRAM (or goes there), and is in the memory from now on.
    bool take(int slot, std::int64_t address, std::int64_t bursts);
    /// All groups of the transfer were taken.
    void close(int slot);
    /// Ends the transfer: what it loaded is there for others.
    void finish(int slot);

    /// Bytes that the memory supplies to the transfer, in all.
    [[nodiscard]] std::int64_t suppliedBytes(int slot) const noexcept { return at(slot).supplied; }
    /// True if the memory has bytes for the transfer that it has not delivered yet.
    [[nodiscard]] bool owes(int slot) const noexcept { return at(slot).owed; }
    /// Calls deliver(slot, bytes) for each transfer whose bytes are all there now.
    template <typename F> void deliver(F&& deliver)
    {
        if (m_due.empty())
            return;
        for (const int slot : m_due) {
            at(slot).owed = false;
            deliver(slot, at(slot).supplied);
        }
        m_due.clear();
    }

private:
    struct Block
    {
        std::uint64_t parts = 0; ///< mask of the bursts that are there or on their way
        int loader = -1;         ///< slot that loads some of them
        std::uint64_t load = 0;  ///< number of the transfer of that slot
        std::list<std::int64_t>::iterator use;
    };
    struct Slot
    {
        std::uint64_t transfer = 0; ///< number of the active transfer, 0 = none
        bool isStore = false;
        bool owed = false;
        std::int64_t supplied = 0;
        std::vector<int> waitsFor; ///< slots that load what it reads
    };
    [[nodiscard]] const Slot& at(int slot) const noexcept { return m_slots[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] Slot& at(int slot) noexcept { return m_slots[static_cast<std::size_t>(slot)]; }

    std::int64_t m_burst, m_interleave, m_part;
    std::size_t m_capacity; ///< in blocks
    std::unordered_map<std::int64_t, Block> m_blocks;
    std::list<std::int64_t> m_uses; ///< blocks, the least recently used first
    std::vector<Slot> m_slots;
    std::vector<int> m_due;
    std::uint64_t m_transfers = 0;
};

} // namespace tilewright::npu
