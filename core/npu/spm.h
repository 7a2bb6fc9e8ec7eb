// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/run.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilewright::npu {

/// The scratchpad of one core. It evicts tiles that are clean and not pinned, the least recently used first
/// (docs/rules/npu.md 5.1). Space is counted in bytes; fragmentation is not modelled.
class Spm
{
public:
    explicit Spm(std::int64_t capacity) : m_capacity(capacity) {}

    struct Need
    {
        std::uint32_t tile;
        std::int64_t bytes;
    };
    /// Pins the needed tiles that are in SPM; allocates and pins the others and `extra` bytes that belong to
    /// no tile; evicts tiles if necessary. Changes nothing and returns false if there is not enough space.
    /// `missing` gets the allocated tiles.
    [[nodiscard]] bool allocate(const std::vector<Need>& needs, std::int64_t extra,
                                std::vector<std::uint32_t>& missing);
    void release(std::uint32_t tile, Cycle now);
    void releaseExtra(std::int64_t bytes) { m_used -= bytes; }
    /// Number of bytes by which space is short for allocate() to succeed; 0 if it would succeed.
    [[nodiscard]] std::int64_t shortage(const std::vector<Need>& needs, std::int64_t extra) const;
    /// Marks a tile as the result of a node of this core. The tile cannot be evicted until clean() is called.
    void makeResult(std::uint32_t tile);
    void clean(std::uint32_t tile);
    void pin(std::uint32_t tile); ///< pins a tile that is in SPM, until release()
    [[nodiscard]] bool has(std::uint32_t tile) const { return m_entries.contains(tile); }
    /// True if the tile is in SPM as the result of a node of this core.
    [[nodiscard]] bool hasResult(std::uint32_t tile) const
    {
        const auto found = m_entries.find(tile);
        return found != m_entries.end() && found->second.made;
    }
    [[nodiscard]] bool isPinned(std::uint32_t tile) const { return m_entries.at(tile).pins > 0; }
    [[nodiscard]] Cycle lastUse(std::uint32_t tile) const { return m_entries.at(tile).lastUse; }
    [[nodiscard]] std::int64_t used() const noexcept { return m_used; }
    template <typename F> void forEachTile(F&& f) const
    {
        for (const auto& [tile, entry] : m_entries)
            f(tile);
    }

private:
    struct Entry
    {
        std::int64_t bytes = 0;
        int pins = 0;
        bool dirty = false;
        Cycle lastUse = 0;
        bool made = false; ///< makeResult() was called
    };
    void setEvictable(std::uint32_t tile, const Entry& entry, bool evictable);

    std::int64_t m_capacity;
    std::int64_t m_used = 0, m_evictableBytes = 0;
    std::unordered_map<std::uint32_t, Entry> m_entries;
    /// Pairs (last use, tile). The first entry is evicted first.
    std::set<std::pair<Cycle, std::uint32_t>> m_evictable;
};

} // namespace tilewright::npu
