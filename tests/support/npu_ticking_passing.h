// SPDX-License-Identifier: GPL-3.0-or-later
// What the ticking machine does from core to core, and with requests to DRAM. Part of npu_ticking.h.
#pragma once

#include "npu_ticking.h"

namespace tilewright::npu::test {

/// Element by element: which result holds it?
inline void TickingMachine::findParts()
{
    parts.assign(g.tiles.size(), {});
    if (!hw.coreToCore)
        return;
    std::set<std::uint32_t> read;
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        read.insert(g.inputs(n).begin(), g.inputs(n).end());
    for (const std::uint32_t t : read) {
        const TileDesc& tile = g.tiles[t];
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> elements; // by node and result
        bool isWhole = true;
        for (std::int64_t a = tile.offset[0]; a < tile.offset[0] + tile.shape[0]; ++a)
            for (std::int64_t b = tile.offset[1]; b < tile.offset[1] + tile.shape[1]; ++b)
                for (std::int64_t c = tile.offset[2]; c < tile.offset[2] + tile.shape[2]; ++c)
                    for (std::int64_t d = tile.offset[3]; d < tile.offset[3] + tile.shape[3]; ++d) {
                        bool found = false;
                        for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
                            for (const std::uint32_t o : g.outputs(n)) {
                                TileDesc element = tile;
                                element.offset = {a, b, c, d};
                                element.shape = {1, 1, 1, 1};
                                if (!overlap(element, g.tiles[o]))
                                    continue;
                                ++elements[{n, o}];
                                found = true;
                            }
                        isWhole = isWhole && found;
                    }
        if (!isWhole)
            continue;
        const std::int64_t bits = g.tensors[tile.tensor].bits; // in parts of a byte
        for (const auto& [key, count] : elements)
            parts[t].push_back({key.first, key.second, (count * bits + kPartsOfByte - 1) / kPartsOfByte});
    }
}

inline bool TickingMachine::writes(std::uint32_t node, std::uint32_t tile) const
{
    const auto results = g.outputs(node);
    return std::any_of(results.begin(), results.end(),
                       [&](std::uint32_t o) { return overlap(g.tiles[o], g.tiles[tile]); });
}

/// Other cores may begin what depends on the node.
inline bool TickingMachine::isUsable(std::uint32_t node) const
{
    if (stored[node] || !hw.coreToCore || !done[node])
        return stored[node];
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.inputs(n))
            if (writes(node, t) && parts[t].empty())
                return false;
    return true;
}

inline bool TickingMachine::mustStore(std::uint32_t node, std::uint32_t result) const
{
    if (!hw.coreToCore || g.nodes[node].type == NodeType::KvStore)
        return true;
    bool isRead = false;
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.inputs(n)) {
            isRead = isRead || overlap(g.tiles[t], g.tiles[result]);
            if (writes(node, t) && parts[t].empty())
                return true;
        }
    return !isRead;
}

inline bool TickingMachine::isSending(std::size_t c) const
{
    return std::any_of(transfers.begin(), transfers.end(),
                       [c](const Transfer& x) { return x.active && x.from == static_cast<int>(c); });
}

inline void TickingMachine::storeHeld(std::size_t c, std::uint32_t result)
{
    auto& held = cores[c].held;
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i].second == result) {
            cores[c].toStore.push_back(held[i]);
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
}

inline void TickingMachine::makeRoom(std::size_t c, const std::vector<std::uint32_t>& want,
                                     std::int64_t lacking)
{
    if (transfers[2 * c + 1].active)
        lacking -= g.tiles[transfers[2 * c + 1].tile].spmRequired;
    for (const auto& [node, tile] : cores[c].toStore)
        lacking -= g.tiles[tile].spmRequired;
    while (lacking > 0) {
        std::set<std::pair<Cycle, std::uint32_t>> uses;
        for (const auto& [node, tile] : cores[c].held)
            if (entry(c, tile)->pins == 0 && std::find(want.begin(), want.end(), tile) == want.end())
                uses.emplace(entry(c, tile)->lastUse, tile);
        if (uses.empty())
            return;
        lacking -= g.tiles[uses.begin()->second].spmRequired;
        storeHeld(c, uses.begin()->second);
    }
}

inline TickingMachine::Way TickingMachine::receive(std::size_t c, std::uint32_t tile, Cycle t)
{
    Core& core = cores[c];
    if (!core.arriving.contains(tile)) {
        for (const Part& p : parts[tile])
            if (!done[p.node])
                return Way::Waits;
        const bool isThere = std::all_of(parts[tile].begin(), parts[tile].end(), [&](const Part& p) {
            const Entry* e = entry(coreOf[p.node], p.result);
            return e != nullptr && e->made;
        });
        if (!isThere) {
            Way way = Way::Dram;
            for (const Part& p : parts[tile]) {
                const std::size_t before = cores[coreOf[p.node]].toStore.size();
                storeHeld(coreOf[p.node], p.result);
                if (cores[coreOf[p.node]].toStore.size() > before)
                    way = Way::Changed;
            }
            for (const Part& p : parts[tile])
                if (way == Way::Dram && !storedResults.contains(p.result))
                    way = Way::Waits;
            return way;
        }
    }
    std::vector<Part>* left = core.arriving.contains(tile) ? &core.arriving[tile] : &parts[tile];
    for (std::size_t i = 0; i < left->size(); ++i) {
        const Part part = (*left)[i];
        const std::size_t from = coreOf[part.node];
        if (transfers[2 * from + 1].active || isSending(from))
            continue;
        if (!core.arriving.contains(tile)) {
            for (const Part& p : parts[tile])
                ++entry(coreOf[p.node], p.result)->pins;
            core.arriving[tile] = parts[tile];
        }
        auto& rest = core.arriving[tile];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        Transfer x;
        x.active = x.byNoc = true;
        x.tile = tile;
        x.node = core.pending;
        x.start = t;
        x.from = static_cast<int>(from);
        x.age = -2; // no transfer of DRAM
        x.part = part;
        x.backlog = Fraction{part.bytes, 1};
        transfers[2 * c] = x;
        return Way::Changed;
    }
    return Way::Waits;
}

inline void TickingMachine::endPart(std::size_t c, const Transfer& x, Cycle t)
{
    Entry* e = entry(static_cast<std::size_t>(x.from), x.part.result);
    --e->pins;
    e->lastUse = t;
    if (cores[c].arriving[x.tile].empty()) {
        cores[c].arriving.erase(x.tile);
        std::erase(cores[c].missing, x.tile);
    }
}

/// A node starts: what no other node has yet to read need not be stored.
inline void TickingMachine::dropResults(std::uint32_t node)
{
    started[node] = true;
    if (!hw.coreToCore)
        return;
    std::set<std::uint32_t> needed;
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        if (!started[n])
            for (const std::uint32_t t : g.inputs(n))
                for (const Part& p : parts[t])
                    needed.insert(p.result);
    for (std::size_t c = 0; c < cores.size(); ++c)
        std::erase_if(cores[c].held, [&](const std::pair<std::uint32_t, std::uint32_t>& held) {
            if (needed.contains(held.second))
                return false;
            entry(c, held.second)->dirty = false;
            if (--storesLeft[held.first] == 0)
                stored[held.first] = true;
            return true;
        });
}

// --- requests -------------------------------------------------------------------------------------------

/// Cuts what a transfer has for DRAM into requests, and sends the first of them.
inline void TickingMachine::cutRequests(Transfer& x, Cycle t)
{
    const DramHardware& d = hw.dram;
    if (d.outstandingRequests == 0 && d.readLatencyCycles == 0 && d.writeLatencyCycles == 0)
        return;
    const std::int64_t most = std::max<std::int64_t>(1, d.requestBytes / d.burstBytes);
    std::int64_t end = -1; // of the burst before
    int run = -1;
    std::int64_t size = 0; // bursts of the last request
    for (const Burst& whole : x.queue) {
        if (whole.run != run || whole.address != end)
            x.requests.emplace_back(), size = 0;
        for (std::int64_t i = 0; i < whole.count; ++i) {
            if (d.outstandingRequests > 0 && size == most)
                x.requests.emplace_back(), size = 0;
            if (x.requests.back().empty() || i == 0) {
                Burst burst = whole;
                burst.address += i * d.burstBytes;
                burst.count = 0;
                burst.request = x.requests.size() - 1;
                x.requests.back().push_back(burst);
            }
            ++x.requests.back().back().count;
            ++size;
        }
        run = whole.run;
        end = whole.address + whole.count * d.burstBytes;
    }
    x.queue.clear();
    for (const auto& request : x.requests) {
        x.burstsLeft.push_back(0);
        for (const Burst& b : request)
            x.burstsLeft.back() += b.count;
    }
    const auto all = static_cast<std::int64_t>(x.requests.size());
    const std::int64_t first = d.outstandingRequests > 0 ? std::min(all, d.outstandingRequests) : all;
    for (std::int64_t i = 0; i < first; ++i)
        sendRequest(x, t);
}

inline void TickingMachine::sendRequest(Transfer& x, Cycle t)
{
    const Cycle latency = x.isStore ? hw.dram.writeLatencyCycles : hw.dram.readLatencyCycles;
    for (const Burst& b : x.requests.front())
        x.onWay.emplace_back(t + latency, b);
    x.requests.erase(x.requests.begin());
    takeArrivals(x, t);
}

inline void TickingMachine::endBurst(Transfer& x, const Burst& burst, Cycle t)
{
    if (x.burstsLeft.empty())
        return;
    std::int64_t& left = x.burstsLeft[burst.request];
    left -= burst.count;
    if (left == 0 && !x.requests.empty())
        sendRequest(x, t);
}

inline void TickingMachine::takeArrivals(Transfer& x, Cycle t)
{
    while (!x.onWay.empty() && x.onWay.front().first <= t) {
        x.queue.push_back(x.onWay.front().second);
        x.onWay.erase(x.onWay.begin());
    }
}

} // namespace tilewright::npu::test
