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

/// Bit by bit: bit i of `above` flips bit i mod b of the number, or counts for it if `count` is not 2^b.
inline int TickingMachine::hashed(int number, int count, std::int64_t above)
{
    int bits = 0;
    while ((1 << bits) < count)
        ++bits;
    int flips = 0;
    for (int i = 0; bits > 0 && i < 62; ++i)
        if ((above >> i) % 2 == 1)
            flips ^= 1 << (i % bits);
    return (1 << bits) == count ? number ^ flips : (number + flips) % count;
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
            const std::int64_t above = block / d.channels;
            const std::int64_t row =
                (above / d.banks * d.interleaveBytes + at % d.interleaveBytes) / d.rowBytes;
            int channel = static_cast<int>(block % d.channels), bank = static_cast<int>(above % d.banks);
            if (d.addressHash) {
                channel = hashed(channel, d.channels, above);
                bank = hashed(bank, d.banks, row);
            }
            out.push_back({at, 1, channel, bank, row, run});
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
        if (!x.active || x.owed == 0 || x.follows >= 0)
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
    join(slot, x);
    for (const Burst& b : x.queue)
        x.left += b.count;
    cutRequests(x, t);
    transfers[slot] = x;
}

/// With multicast, a load of which the memory has all joins the oldest load of the same tile.
inline void TickingMachine::join(std::size_t slot, Transfer& x)
{
    x.stream = x.age;
    if (!hw.shared.multicast || hw.shared.bytes == 0 || x.isStore || !x.queue.empty())
        return;
    for (std::size_t s = 0; s < transfers.size(); ++s) {
        const Transfer& other = transfers[s];
        if (s == slot || !other.active || other.isStore || other.from >= 0 || other.tile != x.tile)
            continue;
        if (x.follows < 0 || other.age < x.followsAge) {
            x.follows = static_cast<int>(s);
            x.followsAge = other.age;
            x.stream = other.stream;
        }
    }
}

/// What a load lacks, those that joined it lack; the rest is there for them.
inline void TickingMachine::follow()
{
    for (Transfer& x : transfers) {
        if (!x.active || x.follows < 0)
            continue;
        const Transfer& leader = transfers[static_cast<std::size_t>(x.follows)];
        if (!leader.active || leader.age != x.followsAge)
            continue;
        const std::int64_t lacks = leader.left * hw.dram.burstBytes + leader.owed;
        if (lacks == x.owed)
            continue;
        x.backlog = x.backlog + Fraction{x.owed - lacks, 1};
        x.owed = lacks;
        if (lacks == 0 || Fraction{2 * hw.dram.interleaveBytes, 1} < x.backlog)
            x.byNoc = true;
    }
}

/// Water filling: raises all open shares together until a link, a port or the trunk is full.
inline void TickingMachine::shareNoc()
{
    const bool isShared = hw.shared.bytes > 0, twoPorts = isShared && hw.shared.readBytesPerCycle > 0;
    enum Kind { kLoad, kStore, kPart };
    const auto kindOf = [this](std::size_t s) {
        return transfers[s].from >= 0 ? kPart : s % 2 == 0 ? kLoad : kStore;
    };
    // What passes the trunk as one has one name.
    const auto nameOf = [&](std::size_t s) {
        return kindOf(s) == kPart ? -1 - static_cast<int>(s) : transfers[s].stream;
    };
    // The cores whose links a transfer passes, one of them twice if it sends to itself.
    const auto linksOf = [this](std::size_t s) {
        std::vector<std::size_t> links{s / 2};
        if (transfers[s].from >= 0)
            links.push_back(static_cast<std::size_t>(transfers[s].from));
        return links;
    };
    std::vector<std::size_t> open;
    for (std::size_t s = 0; s < transfers.size(); ++s)
        if (transfers[s].active) {
            transfers[s].share = Fraction{};
            open.push_back(s);
        }
    Fraction trunk{isShared && !twoPorts ? std::min(hw.trunkBytesPerCycle, hw.shared.bytesPerCycle)
                                         : hw.trunkBytesPerCycle,
                   1};
    std::map<Kind, Fraction> ports;
    if (twoPorts)
        ports = {{kLoad, {hw.shared.readBytesPerCycle, 1}}, {kStore, {hw.shared.writeBytesPerCycle, 1}}};
    std::vector<Fraction> link(cores.size(), Fraction{hw.linkBytesPerCycle, 1});
    // With two ports a transfer gets no more than its part of the link, even if the other one gets less.
    const auto usersOf = [&](std::size_t l, const std::vector<std::size_t>& of) {
        std::int64_t users = 0;
        for (const std::size_t s : of)
            for (const std::size_t other : linksOf(s))
                users += other == l;
        return users;
    };
    std::map<std::size_t, Fraction> most;
    for (const std::size_t s : open) {
        std::int64_t users = 1;
        for (const std::size_t l : linksOf(s))
            users = std::max(users, std::min<std::int64_t>(2, usersOf(l, open)));
        most[s] = Fraction::make(hw.linkBytesPerCycle, users);
    }
    const auto isFull = [&](std::size_t s) {
        if (twoPorts &&
            (!(transfers[s].share < most[s]) || (ports.contains(kindOf(s)) && ports[kindOf(s)].isZero())))
            return true;
        const auto links = linksOf(s);
        return !twoPorts &&
               std::any_of(links.begin(), links.end(), [&](std::size_t l) { return link[l].isZero(); });
    };
    const auto lower = [](Fraction& rise, const Fraction& left, std::size_t users) {
        if (users == 0)
            return;
        const Fraction limit = Fraction::make(left.up, left.down * static_cast<std::int64_t>(users));
        if (limit < rise)
            rise = limit;
    };
    while (!open.empty()) {
        std::set<int> names, ofKind[3];
        for (const std::size_t s : open) {
            names.insert(nameOf(s));
            ofKind[kindOf(s)].insert(nameOf(s));
        }
        Fraction rise = trunk;
        lower(rise, trunk, names.size());
        for (const auto& [kind, left] : ports)
            lower(rise, left, ofKind[kind].size());
        for (const std::size_t s : open) {
            if (twoPorts)
                lower(rise, most[s] - transfers[s].share, 1);
            else
                for (const std::size_t l : linksOf(s))
                    lower(rise, link[l], static_cast<std::size_t>(usersOf(l, open)));
        }
        for (const std::size_t s : open) {
            transfers[s].share = transfers[s].share + rise;
            for (const std::size_t l : linksOf(s))
                if (!twoPorts)
                    link[l] = link[l] - rise;
        }
        const auto take = [&](Fraction& left, std::size_t users) {
            left = left - Fraction::make(rise.up * static_cast<std::int64_t>(users), rise.down);
        };
        take(trunk, names.size());
        for (auto& [kind, left] : ports)
            take(left, ofKind[kind].size());
        if (trunk.isZero())
            break;
        std::erase_if(open, isFull);
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
