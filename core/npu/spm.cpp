// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/spm.h"

#include <algorithm>

namespace tilewright::npu {

void Spm::setEvictable(std::uint32_t tile, const Entry& entry, bool evictable)
{
    if (evictable) {
        m_evictable.emplace(entry.lastUse, tile);
        m_evictableBytes += entry.bytes;
    } else {
        m_evictable.erase({entry.lastUse, tile});
        m_evictableBytes -= entry.bytes;
    }
}

std::int64_t Spm::shortage(const std::vector<Need>& needs, std::int64_t extra) const
{
    std::int64_t bytes = extra;
    std::int64_t evictable = m_evictableBytes;
    for (const Need& need : needs) {
        const auto found = m_entries.find(need.tile);
        if (found == m_entries.end())
            bytes += need.bytes;
        else if (found->second.pins == 0 && !found->second.dirty)
            evictable -= found->second.bytes; // a needed tile is not evicted
    }
    return std::max<std::int64_t>(0, bytes - (m_capacity - m_used + evictable));
}

bool Spm::allocate(const std::vector<Need>& needs, std::int64_t extra, std::vector<std::uint32_t>& missing)
{
    missing.clear();
    if (shortage(needs, extra) > 0)
        return false;
    std::int64_t bytes = extra;
    for (const Need& need : needs) {
        if (m_entries.contains(need.tile)) {
            pin(need.tile);
            continue;
        }
        missing.push_back(need.tile);
        bytes += need.bytes;
    }
    while (m_capacity - m_used < bytes) {
        const std::uint32_t victim = m_evictable.begin()->second;
        const auto entry = m_entries.find(victim);
        m_used -= entry->second.bytes;
        setEvictable(victim, entry->second, false);
        m_entries.erase(entry);
    }
    for (const Need& need : needs)
        if (!m_entries.contains(need.tile))
            m_entries[need.tile] = Entry{need.bytes, 1};
    m_used += bytes;
    return true;
}

void Spm::release(std::uint32_t tile, Cycle now)
{
    Entry& e = m_entries.at(tile);
    e.lastUse = now;
    if (--e.pins == 0 && !e.dirty)
        setEvictable(tile, e, true);
}

void Spm::pin(std::uint32_t tile)
{
    Entry& e = m_entries.at(tile);
    if (e.pins == 0 && !e.dirty)
        setEvictable(tile, e, false);
    ++e.pins;
}

void Spm::makeResult(std::uint32_t tile)
{
    Entry& e = m_entries.at(tile);
    e.dirty = e.made = true;
}

void Spm::clean(std::uint32_t tile)
{
    Entry& e = m_entries.at(tile);
    e.dirty = false;
    if (e.pins == 0)
        setEvictable(tile, e, true);
}

} // namespace tilewright::npu
