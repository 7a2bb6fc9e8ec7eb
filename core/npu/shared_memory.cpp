// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/shared_memory.h"

#include <algorithm>

namespace tilewright::npu {

SharedMemory::SharedMemory(const NpuHardware& hw)
    : m_burst(hw.dram.burstBytes), m_interleave(hw.dram.interleaveBytes),
      m_part(std::max(hw.dram.burstBytes, hw.dram.interleaveBytes / 64)),
      m_capacity(static_cast<std::size_t>(hw.shared.bytes / hw.dram.interleaveBytes)),
      m_multicast(hw.shared.multicast), m_slots(static_cast<std::size_t>(2 * hw.cores))
{
}

void SharedMemory::begin(int slot, std::uint32_t tile, bool isStore)
{
    Slot& s = at(slot);
    s.transfer = ++m_transfers;
    s.tile = tile;
    s.isStore = isStore;
    s.owed = false;
    s.supplied = 0;
    s.waitsFor.clear();
    s.followers.clear();
}

bool SharedMemory::take(int slot, std::int64_t address, std::int64_t bursts)
{
    Slot& s = at(slot);
    const std::int64_t number = address / m_interleave, within = address % m_interleave;
    const std::int64_t first = within / m_part, last = (within + bursts * m_burst - 1) / m_part;
    const std::uint64_t parts = (~std::uint64_t{0} >> (63 - (last - first))) << first;
    const auto [found, isNew] = m_blocks.try_emplace(number);
    Block& block = found->second;
    if (isNew)
        block.use = m_uses.insert(m_uses.end(), number);
    else
        m_uses.splice(m_uses.end(), m_uses, block.use);
    const bool held = (block.parts & parts) == parts;
    if (held && !s.isStore) {
        s.supplied += bursts * m_burst;
        if (block.loader >= 0 && at(block.loader).transfer == block.load && block.loader != slot &&
            std::find(s.waitsFor.begin(), s.waitsFor.end(), block.loader) == s.waitsFor.end())
            s.waitsFor.push_back(block.loader);
        return true;
    }
    block.parts |= parts;
    if (!s.isStore) {
        block.loader = slot;
        block.load = s.transfer;
    }
    if (m_blocks.size() > m_capacity) {
        m_blocks.erase(m_uses.front());
        m_uses.pop_front();
    }
    return false;
}

int SharedMemory::close(int slot, bool isHeld)
{
    Slot& s = at(slot);
    int leader = -1;
    if (m_multicast && isHeld && !s.isStore)
        for (std::size_t i = 0; i < m_slots.size(); ++i) {
            const Slot& other = m_slots[i];
            if (other.transfer != 0 && !other.isStore && other.tile == s.tile && &other != &s &&
                (leader < 0 || other.transfer < at(leader).transfer))
                leader = static_cast<int>(i);
        }
    if (leader >= 0) {
        s.waitsFor.clear();
        at(leader).followers.push_back(slot);
        return leader;
    }
    s.owed = s.supplied > 0;
    if (s.owed && s.waitsFor.empty())
        m_due.push_back({slot, s.supplied, -1});
    return -1;
}

void SharedMemory::catchUp(int slot, int leader, std::int64_t bytes)
{
    if (bytes > 0)
        m_due.push_back({slot, bytes, leader});
}

void SharedMemory::finish(int slot)
{
    at(slot).transfer = 0;
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        Slot& s = m_slots[i];
        std::erase(s.followers, slot);
        if (s.transfer == 0 || !s.owed || s.waitsFor.empty())
            continue;
        std::erase(s.waitsFor, slot);
        if (s.waitsFor.empty())
            m_due.push_back({static_cast<int>(i), s.supplied, -1});
    }
}

} // namespace tilewright::npu
