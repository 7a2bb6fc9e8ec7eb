// SPDX-License-Identifier: GPL-3.0-or-later
// What cores get from each other: core-to-core transfers (docs/rules/npu.md 5.8) and loads that join another
// one (5.10).
#include "npu/simulator.h"

#include <algorithm>

namespace tilewright::npu {

/// True if a tile that is still to be loaded depends on the result of `last`, which no other core can use
/// yet.
bool NpuSimulator::comesTooLate(std::uint32_t tile, std::uint32_t last) const
{
    if (!m_forwarding.isThere())
        return m_unwritten[tile] > 0;
    const auto writers = m_graph.writersOf.of(tile);
    return std::find(writers.begin(), writers.end(), last) != writers.end();
}

/// Queues the store of a result that the core holds back. Does nothing if the core does not hold it.
void NpuSimulator::storeHeld(std::size_t c, std::uint32_t tile)
{
    Core& core = m_cores[c];
    const auto found = std::find_if(core.held.begin(), core.held.end(),
                                    [tile](const TransferSpan& span) { return span.tile == tile; });
    if (found == core.held.end())
        return;
    core.storeQueue.push_back(*found);
    core.held.erase(found);
}

/// Queues stores of held results, the least recently used ones first, until the pending node will have room.
void NpuSimulator::makeRoom(std::size_t c, const std::vector<Spm::Need>& needs, std::int64_t extra)
{
    Core& core = m_cores[c];
    std::int64_t lacking = core.spm.shortage(needs, extra);
    const auto free = [&](std::uint32_t tile) { lacking -= m_graph.tiles[tile].spmRequired; };
    if (core.storing)
        free(core.store.tile);
    for (const TransferSpan& span : core.storeQueue)
        free(span.tile);
    while (lacking > 0) {
        std::optional<std::pair<Cycle, std::uint32_t>> oldest;
        for (const TransferSpan& span : core.held) {
            const bool isNeeded = std::any_of(needs.begin(), needs.end(),
                                              [&](const Spm::Need& need) { return need.tile == span.tile; });
            if (isNeeded || core.spm.isPinned(span.tile))
                continue;
            const std::pair use{core.spm.lastUse(span.tile), span.tile};
            if (!oldest || use < *oldest)
                oldest = use;
        }
        if (!oldest)
            return;
        free(oldest->second);
        storeHeld(c, oldest->second);
    }
}

/// Begins to load the next part of a tile from the scratchpads that hold its parts. If some part is in no
/// scratchpad, queues the stores of the parts. Returns false if the core must wait, nullopt if the tile is
/// loaded from DRAM now.
std::optional<bool> NpuSimulator::startReceiving(std::size_t c, std::uint32_t tile, Cycle now)
{
    const auto parts = m_forwarding.partsOf(tile);
    if (parts.empty())
        return std::nullopt;
    Core& core = m_cores[c];
    const auto holderOf = [this](const TilePart& part) { return std::size_t{m_run.coreOf[part.writer]}; };
    auto arriving = std::find_if(core.arriving.begin(), core.arriving.end(),
                                 [tile](const auto& entry) { return entry.first == tile; });
    if (arriving == core.arriving.end()) {
        if (!std::all_of(parts.begin(), parts.end(), [&](const TilePart& p) { return m_isDone[p.writer]; }))
            return false;
        if (!std::all_of(parts.begin(), parts.end(), [&](const TilePart& p) {
                return m_cores[holderOf(p)].spm.hasResult(p.result);
            })) { // the tile is read from DRAM when all its parts are stored
            bool any = false;
            for (const TilePart& p : parts) {
                const std::size_t before = m_cores[holderOf(p)].held.size();
                storeHeld(holderOf(p), p.result);
                any = any || m_cores[holderOf(p)].held.size() < before;
            }
            if (any || !std::all_of(parts.begin(), parts.end(),
                                    [&](const TilePart& p) { return m_isResultStored[p.result] != 0; }))
                return any;
            return std::nullopt;
        }
    }
    const auto isFree = [&](const TilePart& p) {
        return !m_cores[holderOf(p)].storing && !m_cores[holderOf(p)].sending;
    };
    if (arriving == core.arriving.end()) {
        if (std::none_of(parts.begin(), parts.end(), isFree))
            return false;
        for (const TilePart& p : parts)
            m_cores[holderOf(p)].spm.pin(p.result);
        core.arriving.emplace_back(tile, std::vector<TilePart>(parts.begin(), parts.end()));
        arriving = core.arriving.end() - 1;
    }
    const auto next = std::find_if(arriving->second.begin(), arriving->second.end(), isFree);
    if (next == arriving->second.end())
        return false;
    core.part = *next;
    arriving->second.erase(next);
    const std::size_t from = holderOf(core.part);
    m_cores[from].sending = true;
    core.loading = true;
    core.load = {tile, core.pending, now, now, 0, core.part.bytes, static_cast<int>(from)};
    beginTransfer(c, false, now);
    return true;
}

/// Called when the part that a core loads from another core has come.
void NpuSimulator::endReceiving(std::size_t c, Cycle now)
{
    Core& core = m_cores[c];
    Core& sender = m_cores[static_cast<std::size_t>(core.load.from)];
    sender.sending = false;
    sender.spm.release(core.part.result, now);
    const auto arriving = std::find_if(core.arriving.begin(), core.arriving.end(),
                                       [&](const auto& entry) { return entry.first == core.load.tile; });
    if (!arriving->second.empty())
        return;
    core.arriving.erase(arriving);
    std::erase(core.toLoad, core.load.tile);
}

/// Called when a node starts. Results that no node needs any more may be evicted without being stored.
void NpuSimulator::releaseResults(std::uint32_t node, Cycle now)
{
    m_forwarding.start(m_graph, node, [&](const TilePart& part) {
        Core& holder = m_cores[m_run.coreOf[part.writer]];
        const auto found = std::find_if(holder.held.begin(), holder.held.end(),
                                        [&](const TransferSpan& span) { return span.tile == part.result; });
        if (found == holder.held.end())
            return;
        holder.held.erase(found);
        holder.spm.clean(part.result);
        if (--m_storesLeft[part.writer] == 0)
            stored(part.writer, now);
    });
}

/// Updates the shared memory for a transfer that has begun. Returns the slot of the load that it joins, or
/// -1.
int NpuSimulator::shareOf(std::size_t c, int slot, bool isStore)
{
    const int leader = m_shared.close(slot, m_dram.remainingBytes(slot) == 0);
    if (isStore)
        return leader;
    TransferSpan& load = m_cores[c].load;
    m_run.sharedBytes += load.shared = m_shared.suppliedBytes(slot);
    if (leader < 0)
        return leader;
    load.joined = true;
    m_run.joinedBytes += load.shared;
    const std::int64_t owed = m_shared.owes(leader) ? m_shared.suppliedBytes(leader) : 0;
    m_shared.catchUp(slot, leader, load.shared - m_dram.remainingBytes(leader) - owed);
    return leader;
}

/// Reports bytes of a transfer moved by DRAM or the shared memory. Loads that joined the transfer receive
/// them as well.
void NpuSimulator::arrive(int slot, std::int64_t bytes, Cycle now)
{
    const bool isLast = isComplete(slot);
    m_noc.arrive(slot, bytes, isLast, now);
    if (m_shared.isThere())
        for (const int follower : m_shared.followersOf(slot))
            m_noc.arrive(follower, bytes, isLast, now);
}

} // namespace tilewright::npu
