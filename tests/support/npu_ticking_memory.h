// SPDX-License-Identifier: GPL-3.0-or-later
// What the ticking machine does with memory: SPM, bursts, NoC, DRAM. Part of npu_ticking.h.
#pragma once

#include "npu_ticking.h"

namespace tilewright::npu::test {

inline bool TickingMachine::allocate(std::size_t c)
{
    Core& core = cores[c];
    const TileNode& n = g.nodes[core.pending];
    std::vector<std::uint32_t> want(g.inputs(core.pending).begin(), g.inputs(core.pending).end());
    const std::size_t inputs = want.size();
    const bool opens = n.accumulator != kNone && !accumulatorOpen[n.unit];
    if (opens)
        want.push_back(n.accumulator);
    for (const std::uint32_t o : g.outputs(core.pending))
        if (o != n.accumulator)
            want.push_back(o);
    std::vector<Entry> after = core.spm;
    std::int64_t need = opens ? n.scratchBytes : 0;
    std::vector<std::uint32_t> missing;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const auto found =
            std::find_if(after.begin(), after.end(), [&](const Entry& e) { return e.tile == want[i]; });
        if (found != after.end()) {
            ++found->pins;
            continue;
        }
        need += g.tiles[want[i]].spmRequired;
        if (i < inputs)
            missing.push_back(want[i]);
    }
    std::int64_t bytes = core.scratch;
    for (const Entry& e : after)
        bytes += e.bytes;
    while (bytes + need > hw.spmBytes) {
        auto victim = after.end();
        for (auto e = after.begin(); e != after.end(); ++e)
            if (e->pins == 0 && !e->dirty &&
                (victim == after.end() ||
                 std::pair(e->lastUse, e->tile) < std::pair(victim->lastUse, victim->tile)))
                victim = e;
        if (victim == after.end()) {
            makeRoom(c, want, bytes + need - hw.spmBytes);
            return false;
        }
        bytes -= victim->bytes;
        after.erase(victim);
    }
    for (const std::uint32_t tile : want)
        if (std::none_of(after.begin(), after.end(), [&](const Entry& e) { return e.tile == tile; }))
            after.push_back({tile, g.tiles[tile].spmRequired, 1, false, 0});
    core.spm = after;
    if (opens) {
        core.scratch += n.scratchBytes;
        accumulatorOpen[n.unit] = true;
    }
    core.missing = missing;
    core.allocated = true;
    return true;
}

/// From the tile's elements: runs, widened to bursts, cut at interleave blocks.
inline std::vector<TickingMachine::Burst> TickingMachine::burstsOf(std::uint32_t tileId) const
{
    const TileDesc& tile = g.tiles[tileId];
    const NpuTensor& tensor = g.tensors[tile.tensor];
    std::vector<std::pair<std::int64_t, std::int64_t>> runs; // address, end
    std::int64_t before = -2;
    for (std::int64_t a = 0; a < tile.shape[0]; ++a)
        for (std::int64_t b = 0; b < tile.shape[1]; ++b)
            for (std::int64_t c = 0; c < tile.shape[2]; ++c)
                for (std::int64_t d = 0; d < tile.shape[3]; ++d) {
                    const std::int64_t index =
                        (((tile.offset[0] + a) * tensor.shape[1] + tile.offset[1] + b) * tensor.shape[2] +
                         tile.offset[2] + c) *
                            tensor.shape[3] +
                        tile.offset[3] + d;
                    // The bytes with the first and the last bit of the element.
                    const std::int64_t bit = index * tensor.bits, last = bit + tensor.bits - 1;
                    const std::int64_t at = tensor.dramBase + bit / kPartsOfByte;
                    const std::int64_t end = tensor.dramBase + last / kPartsOfByte + 1;
                    if (!runs.empty() && index == before + 1)
                        runs.back().second = end;
                    else
                        runs.emplace_back(at, end);
                    before = index;
                }
    std::vector<Burst> out;
    int run = -1;
    const DramHardware& d = hw.dram;
    for (const auto& [from, to] : runs) {
        bool isFirst = true;
        for (std::int64_t at = from - from % d.burstBytes; at < to; at += d.burstBytes) {
            if (!isFirst && at % d.interleaveBytes != 0) {
                ++out.back().count;
                continue;
            }
            const std::int64_t block = at / d.interleaveBytes;
            run += isFirst;
            isFirst = false;
            out.push_back(
                {at, 1, static_cast<int>(block % d.channels), static_cast<int>(block / d.channels % d.banks),
                 (block / d.channels / d.banks * d.interleaveBytes + at % d.interleaveBytes) / d.rowBytes,
                 run});
        }
    }
    return out;
}

inline void TickingMachine::takeShared(std::size_t slot, Transfer& x)
{
    const auto capacity = static_cast<std::size_t>(hw.shared.bytes / hw.dram.interleaveBytes);
    if (capacity == 0)
        return;
    std::vector<Burst> rest;
    for (const Burst& b : x.queue) {
        const std::int64_t block = b.address / hw.dram.interleaveBytes;
        auto found =
            std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.block == block; });
        Line line{block, {}, 0, -1};
        if (found != lines.end()) {
            line = *found;
            lines.erase(found);
        }
        bool isHeld = true;
        for (std::int64_t i = 0; i < b.count; ++i)
            isHeld = isHeld && line.bursts.count(b.address + i * hw.dram.burstBytes) > 0;
        if (isHeld && !x.isStore) {
            x.supplied += b.count * hw.dram.burstBytes;
            if (line.age >= 0 && line.slot != slot && transfers[line.slot].active &&
                transfers[line.slot].age == line.age)
                x.waits.emplace_back(line.slot, line.age);
        } else {
            rest.push_back(b);
            for (std::int64_t i = 0; i < b.count; ++i)
                line.bursts.insert(b.address + i * hw.dram.burstBytes);
            if (!x.isStore) {
                line.slot = slot;
                line.age = x.age;
            }
        }
        lines.push_back(line);
        if (lines.size() > capacity)
            lines.erase(lines.begin());
    }
    x.queue = rest;
    x.owed = x.supplied;
}

inline void TickingMachine::deliverShared()
{
    for (Transfer& x : transfers) {
        if (!x.active || x.owed == 0)
            continue;
        if (std::any_of(x.waits.begin(), x.waits.end(), [&](const auto& w) {
                return transfers[w.first].active && transfers[w.first].age == w.second;
            }))
            continue;
        x.backlog = x.backlog + Fraction{x.owed, 1};
        x.owed = 0;
        if (x.left == 0 || Fraction{2 * hw.dram.interleaveBytes, 1} < x.backlog)
            x.byNoc = true;
    }
}

inline void TickingMachine::startTransfer(std::size_t slot, std::uint32_t tile, std::uint32_t node, Cycle t)
{
    Transfer x;
    x.active = true;
    x.isStore = slot % 2 == 1;
    x.tile = tile;
    x.node = node;
    x.start = t;
    x.age = nextAge++;
    x.queue = burstsOf(tile);
    takeShared(slot, x);
    for (const Burst& b : x.queue)
        x.left += b.count;
    cutRequests(x, t);
    transfers[slot] = x;
}

inline void TickingMachine::shareNoc()
{
    // Water filling: raise all unfrozen shares together until a link or the trunk is full.
    std::vector<std::size_t> open;
    Fraction trunk{hw.shared.bytes > 0 ? std::min(hw.trunkBytesPerCycle, hw.shared.bytesPerCycle)
                                       : hw.trunkBytesPerCycle,
                   1};
    std::vector<Fraction> link(cores.size(), Fraction{hw.linkBytesPerCycle, 1});
    for (std::size_t s = 0; s < transfers.size(); ++s)
        if (transfers[s].active) {
            transfers[s].share = Fraction{};
            open.push_back(s);
        }
    // The cores whose links a transfer passes, one of them twice if it sends to itself.
    const auto linksOf = [this](std::size_t s) {
        std::vector<std::size_t> links{s / 2};
        if (transfers[s].from >= 0)
            links.push_back(static_cast<std::size_t>(transfers[s].from));
        return links;
    };
    while (!open.empty()) {
        Fraction rise = Fraction::make(trunk.up, trunk.down * static_cast<std::int64_t>(open.size()));
        for (const std::size_t s : open) {
            for (const std::size_t l : linksOf(s)) {
                std::int64_t users = 0;
                for (const std::size_t o : open)
                    for (const std::size_t other : linksOf(o))
                        users += other == l;
                const Fraction limit = Fraction::make(link[l].up, link[l].down * users);
                if (limit < rise)
                    rise = limit;
            }
        }
        for (const std::size_t s : open) {
            transfers[s].share = transfers[s].share + rise;
            trunk = trunk - rise;
            for (const std::size_t l : linksOf(s))
                link[l] = link[l] - rise;
        }
        if (trunk.isZero())
            break;
        std::erase_if(open, [&](std::size_t s) {
            const auto links = linksOf(s);
            return std::any_of(links.begin(), links.end(), [&](std::size_t l) { return link[l].isZero(); });
        });
    }
}

inline void TickingMachine::serveDram(Cycle t)
{
    const bool aware = hw.dram.arbiter == Arbiter::DramAware;
    for (std::size_t c = 0; c < channels.size(); ++c) {
        Channel& ch = channels[c];
        for (std::size_t b = 0; b < ch.banks.size(); ++b) {
            Bank& bank = ch.banks[b];
            if (bank.busy)
                continue;
            int best = -1;
            std::size_t bestAt = 0;
            std::tuple<bool, bool, int> bestKey;
            for (std::size_t s = 0; s < transfers.size(); ++s) {
                Transfer& x = transfers[s];
                const auto first = std::find_if(x.queue.begin(), x.queue.end(), [&](const Burst& q) {
                    return q.channel == static_cast<int>(c) && q.bank == static_cast<int>(b);
                });
                if (!x.active || first == x.queue.end())
                    continue;
                const std::tuple key{aware && first->row != bank.openRow, aware && headOf(x) == ch.lastHead,
                                     x.age};
                if (best < 0 || key < bestKey) {
                    best = static_cast<int>(s);
                    bestAt = static_cast<std::size_t>(first - x.queue.begin());
                    bestKey = key;
                }
            }
            if (best < 0)
                continue;
            Transfer& x = transfers[static_cast<std::size_t>(best)];
            bank.burst = x.queue[bestAt];
            x.queue.erase(x.queue.begin() + static_cast<std::ptrdiff_t>(bestAt));
            bank.busy = true;
            bank.onBus = false;
            bank.transfer = static_cast<std::size_t>(best);
            bank.hit = bank.burst.row == bank.openRow;
            bank.openRow = bank.burst.row;
            bank.work = bank.hit ? hw.dram.rowHitCycles : hw.dram.rowMissCycles;
            for (std::int64_t i = 1; i < bank.burst.count; ++i)
                bank.work += hw.dram.rowHitCycles;
        }
        if (ch.bus >= 0)
            continue;
        int best = -1;
        std::tuple<bool, bool, bool, int> bestKey;
        for (std::size_t b = 0; b < ch.banks.size(); ++b) {
            const Bank& bank = ch.banks[b];
            if (!bank.busy || bank.work > 0)
                continue;
            const Transfer& x = transfers[bank.transfer];
            const std::tuple key{aware && !bank.hit, aware && static_cast<int>(b) == ch.lastBank,
                                 aware && headOf(x) == ch.lastHead, x.age};
            if (best < 0 || key < bestKey) {
                best = static_cast<int>(b);
                bestKey = key;
            }
        }
        if (best < 0)
            continue;
        const Bank& bank = ch.banks[static_cast<std::size_t>(best)];
        const Transfer& x = transfers[bank.transfer];
        ch.bus = best;
        ch.busLeft =
            bank.burst.count * ((hw.dram.burstBytes + hw.dram.bytesPerCycle - 1) / hw.dram.bytesPerCycle);
        ch.lastBank = best;
        ch.lastHead = headOf(x);
        out.dram.push_back({t, t + ch.busLeft, bank.burst.address, x.tile,
                            static_cast<std::uint32_t>(bank.burst.count), static_cast<std::uint16_t>(c),
                            static_cast<std::uint16_t>(best), bank.hit, x.isStore});
    }
}

} // namespace tilewright::npu::test
