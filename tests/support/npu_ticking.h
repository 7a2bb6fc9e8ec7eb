// SPDX-License-Identifier: GPL-3.0-or-later
// The machine of docs/rules/npu.md 5 as a loop over cycles, written without the event simulation's data
// structures: counters that tick, linear searches, exact fractions. Slow and plain on purpose.
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright::npu::test {

/// An exact non-negative fraction.
struct Fraction
{
    __extension__ typedef __int128 Wide;
    Wide up = 0, down = 1;
    static Wide gcd(Wide a, Wide b) { return b == 0 ? a : gcd(b, a % b); }
    static Fraction make(Wide up, Wide down)
    {
        const Wide g = up == 0 ? down : gcd(up, down);
        return {up / g, down / g};
    }
    Fraction operator+(const Fraction& o) const { return make(up * o.down + o.up * down, down * o.down); }
    Fraction operator-(const Fraction& o) const { return make(up * o.down - o.up * down, down * o.down); }
    bool operator<(const Fraction& o) const { return up * o.down < o.up * down; }
    bool isZero() const { return up == 0; }
};

struct TickResult
{
    Cycle makespan = -1; ///< -1: did not end
    std::vector<std::vector<ComputeSpan>> tensor, vector;
    std::vector<std::vector<TransferSpan>> loads, stores;
    std::vector<std::vector<CoreState>> states; ///< per core and cycle
    std::vector<std::vector<std::int64_t>> spm; ///< per core and cycle, at its end
    std::vector<std::int64_t> ready;            ///< per cycle
    std::vector<DramEvent> dram;
};

class TickingMachine
{
public:
    TickingMachine(const NpuGraph& graph, const NpuHardware& hw, const RunOptions& options)
        : g(graph), hw(hw), options(options)
    {
    }

    TickResult run(Cycle limit)
    {
        prepare();
        for (Cycle t = 0; t < limit; ++t) {
            if (t > 0)
                tick(t);
            settle(t);
            if (finished()) {
                out.makespan = t;
                break;
            }
            shareNoc();
            deliverShared();
            follow();
            serveDram(t);
            for (std::size_t c = 0; c < cores.size(); ++c) {
                out.states[c].push_back(stateOf(c));
                out.spm[c].push_back(used(c));
            }
            out.ready.push_back(static_cast<std::int64_t>(
                std::count_if(allUnits.begin(), allUnits.end(),
                              [&](std::uint32_t u) { return !unitStarted[u] && waitingFor(u).empty(); })));
        }
        return std::move(out);
    }

private:
    struct Entry
    {
        std::uint32_t tile;
        std::int64_t bytes;
        int pins;
        bool dirty;
        Cycle lastUse;
        bool made = false; // by a node of this core
    };
    struct Burst // adjacent bursts of one tile in one interleave block
    {
        std::int64_t address;
        std::int64_t count;
        int channel, bank;
        std::int64_t row;
        int run; // of the tile, from 0
        std::size_t request = 0;
    };
    struct Part // of a tile that one node makes
    {
        std::uint32_t node, result;
        std::int64_t bytes;
    };
    struct Transfer
    {
        bool active = false;
        bool isStore = false;
        std::uint32_t tile = 0, node = 0;
        Cycle start = 0;
        int age = 0;
        std::int64_t supplied = 0, owed = 0;            // bytes of the shared memory, and those not delivered
        std::vector<std::pair<std::size_t, int>> waits; // slots and ages of the loads that bring them
        std::vector<Burst> queue;                       // not yet taken by a bank
        std::int64_t left = 0;                          // bursts DRAM has not moved
        Fraction backlog, share;
        bool byNoc = false;
        int follows = -1, followsAge = -1; // slot and age of the load that it joined
        int stream = 0;                    // age of the first load that is read with it
        int from = -1;                     // core that sends it
        Part part{};
        std::vector<std::vector<Burst>> requests;   // not sent
        std::vector<std::pair<Cycle, Burst>> onWay; // time of arrival
        std::vector<std::int64_t> burstsLeft;       // by request
    };
    struct Line // an interleave block in the shared memory
    {
        std::int64_t block;
        std::set<std::int64_t> bursts;
        std::size_t slot; // that loads some of them
        int age;
    };
    struct Bank
    {
        bool busy = false, onBus = false;
        std::int64_t work = 0; // cycles until the bursts are ready for the bus
        std::int64_t openRow = -1;
        std::size_t transfer = 0;
        Burst burst{};
        bool hit = false;
    };
    struct Channel
    {
        std::vector<Bank> banks;
        int bus = -1; // bank on the bus
        std::int64_t busLeft = 0;
        int lastBank = -1;
        std::int32_t lastHead = -2;
    };
    struct Core
    {
        std::vector<Entry> spm;
        std::int64_t scratch = 0;
        std::uint32_t pending = kNone;
        bool allocated = false;
        std::vector<std::uint32_t> missing;
        std::uint32_t running[2] = {kNone, kNone};
        std::int64_t computeLeft[2] = {0, 0};
        std::deque<std::pair<std::uint32_t, std::uint32_t>> toStore; // node, tile
        std::vector<std::pair<std::uint32_t, std::uint32_t>> held;   // results not to be stored yet
        std::map<std::uint32_t, std::vector<Part>> arriving;         // parts to come, by tile
        std::vector<std::uint32_t> list;                             // static
        std::vector<std::uint32_t> unitLeft;                         // rest of the open unit
    };

    void prepare()
    {
        const std::size_t n = static_cast<std::size_t>(hw.cores);
        cores.resize(n);
        transfers.resize(2 * n);
        channels.resize(static_cast<std::size_t>(hw.dram.channels));
        for (Channel& c : channels)
            c.banks.resize(static_cast<std::size_t>(hw.dram.banks));
        done.assign(g.nodes.size(), false);
        stored = started = done;
        coreOf.assign(g.nodes.size(), 0);
        storesLeft.assign(g.nodes.size(), 0);
        unitStarted.assign(g.units.size(), false);
        accumulatorOpen = unitStarted;
        for (std::uint32_t u = 0; u < g.units.size(); ++u)
            allUnits.push_back(u);
        for (auto* list : {&out.tensor, &out.vector})
            list->resize(n);
        for (auto* list : {&out.loads, &out.stores})
            list->resize(n);
        out.states.resize(n);
        out.spm.resize(n);
        findParts();
        cp.assign(g.nodes.size(), -1);
        for (std::size_t i = 0; i < g.nodes.size(); ++i)
            criticalPath(i);
        if (options.scheduler == Scheduler::Static) {
            const StaticSchedule s = makeStaticSchedule(g, hw, options.assignment);
            for (std::size_t c = 0; c < n; ++c)
                cores[c].list = s.order[c];
        }
    }

    double criticalPath(std::size_t node)
    {
        if (cp[node] >= 0)
            return cp[node];
        double longest = 0;
        for (std::size_t s = 0; s < g.nodes.size(); ++s)
            for (const std::uint32_t d : g.deps.of(s))
                if (d == node)
                    longest = std::max(longest, criticalPath(s));
        const std::int64_t alone = bandwidthAlone();
        const std::int64_t transfer = (g.nodes[node].memBytes + alone - 1) / alone;
        cp[node] = longest + static_cast<double>(std::max<Cycle>(transfer, g.nodes[node].computeCycles));
        return cp[node];
    }

    std::int64_t bandwidthAlone() const
    {
        std::int64_t out =
            std::min({hw.linkBytesPerCycle, hw.trunkBytesPerCycle, hw.dram.channels * hw.dram.bytesPerCycle});
        if (hw.shared.bytes > 0)
            out = std::min(out, hw.shared.readBytesPerCycle > 0
                                    ? hw.shared.readBytesPerCycle + hw.shared.writeBytesPerCycle
                                    : hw.shared.bytesPerCycle);
        return out;
    }

    // --- what a cycle does -----------------------------------------------------------------------------

    void tick(Cycle t)
    {
        for (Transfer& x : transfers) // the NoC moved bytes during the cycle before t
            if (x.active) {
                x.backlog = x.backlog < x.share ? Fraction{} : x.backlog - x.share;
                if (x.backlog.isZero())
                    x.byNoc = false;
            }
        for (Channel& c : channels) {
            for (Bank& b : c.banks)
                if (b.busy && b.work > 0)
                    --b.work;
            if (c.bus < 0 || --c.busLeft > 0)
                continue;
            Bank& b = c.banks[static_cast<std::size_t>(c.bus)];
            Transfer& x = transfers[b.transfer];
            x.left -= b.burst.count;
            x.backlog = x.backlog + Fraction{b.burst.count * hw.dram.burstBytes, 1};
            if ((x.left == 0 && x.owed == 0) || Fraction{2 * hw.dram.interleaveBytes, 1} < x.backlog)
                x.byNoc = true;
            b.busy = false;
            c.bus = -1;
            endBurst(x, b.burst, t);
        }
        for (Transfer& x : transfers)
            takeArrivals(x, t);
        follow();
        for (std::size_t c = 0; c < cores.size(); ++c) {
            Transfer& x = transfers[2 * c];
            if (x.active && x.left == 0 && x.owed == 0 && x.backlog.isZero()) {
                x.active = false;
                out.loads[c].push_back({x.tile, x.node, x.start, t, x.supplied, x.from < 0 ? 0 : x.part.bytes,
                                        x.from, x.follows >= 0});
                if (x.from < 0)
                    std::erase(cores[c].missing, x.tile);
                else
                    endPart(c, x, t);
            }
        }
        for (std::size_t c = 0; c < cores.size(); ++c) {
            Transfer& x = transfers[2 * c + 1];
            if (x.active && x.left == 0 && x.backlog.isZero()) {
                x.active = false;
                out.stores[c].push_back({x.tile, x.node, x.start, t});
                entry(c, x.tile)->dirty = false;
                storedResults.insert(x.tile);
                if (--storesLeft[x.node] == 0)
                    stored[x.node] = true;
            }
        }
        for (std::size_t c = 0; c < cores.size(); ++c)
            for (int e = 0; e < 2; ++e)
                if (cores[c].running[e] != kNone && --cores[c].computeLeft[e] == 0) {
                    const std::uint32_t node = cores[c].running[e];
                    cores[c].running[e] = kNone;
                    finishNode(c, node, t);
                }
    }

    void settle(Cycle t)
    {
        for (bool again = true; again;) {
            again = false;
            for (std::size_t c = 0; c < cores.size(); ++c)
                while (step(c, t))
                    again = true;
        }
    }

    bool step(std::size_t c, Cycle t)
    {
        Core& core = cores[c];
        bool any = false;
        if (core.pending == kNone && takeNext(c)) {
            core.allocated = false;
            any = true;
        }
        if (core.pending != kNone && !core.allocated && allocate(c))
            any = true;
        if (core.pending != kNone && core.allocated && !transfers[2 * c].active)
            for (const std::uint32_t tile : core.missing) {
                const Way way = parts[tile].empty() ? Way::Dram : receive(c, tile, t);
                if (way == Way::Changed || (way == Way::Dram && (!parts[tile].empty() || isWritten(tile)))) {
                    if (way == Way::Dram)
                        startTransfer(2 * c, tile, core.pending, t);
                    any = true;
                    break;
                }
            }
        if (core.pending != kNone && core.allocated && core.missing.empty() && depsMet(c, core.pending)) {
            const std::uint32_t node = core.pending;
            const Engine engine = g.nodes[node].engine();
            if (engine == Engine::None) {
                core.pending = kNone;
                dropResults(node);
                finishNode(c, node, t);
                any = true;
            } else if (const int e = engine == Engine::Tensor ? 0 : 1; core.running[e] == kNone) {
                core.pending = kNone;
                dropResults(node);
                core.running[e] = node;
                core.computeLeft[e] = g.nodes[node].computeCycles;
                (e == 0 ? out.tensor : out.vector)[c].push_back({node, t, t + g.nodes[node].computeCycles});
                any = true;
            }
        }
        if (!transfers[2 * c + 1].active && !isSending(c) && !core.toStore.empty()) {
            const auto [node, tile] = core.toStore.front();
            core.toStore.pop_front();
            startTransfer(2 * c + 1, tile, node, t);
            any = true;
        }
        return any;
    }

    // --- scheduling --------------------------------------------------------------------------------------

    std::vector<std::uint32_t> waitingFor(std::uint32_t unit) const
    {
        std::set<std::uint32_t> out;
        for (const std::uint32_t n : g.nodesOf(unit))
            for (const std::uint32_t d : g.deps.of(n))
                if (g.nodes[d].unit != unit && !isUsable(d))
                    out.insert(d);
        return {out.begin(), out.end()};
    }

    bool isCandidate(std::size_t c, std::uint32_t unit)
    {
        if (unitStarted[unit])
            return false;
        const std::uint32_t first = g.nodesOf(unit).front();
        if (options.assignment == Assignment::HeadParallel && g.nodes[first].head >= 0 &&
            g.nodes[first].head % hw.cores != static_cast<int>(c))
            return false;
        const auto waits = waitingFor(unit);
        if (waits.empty())
            return true;
        if (waits.size() > 1)
            return false;
        const std::uint32_t d = waits.front();
        const bool here = cores[c].running[0] == d || cores[c].running[1] == d || (done[d] && coreOf[d] == c);
        if (!here)
            return false;
        for (const std::uint32_t t : g.inputs(first))
            if ((hw.coreToCore ? writes(d, t) : !isWritten(t)) && !entry(c, t))
                return false;
        return true;
    }

    bool takeNext(std::size_t c)
    {
        Core& core = cores[c];
        if (options.scheduler == Scheduler::Static) {
            if (core.list.empty())
                return false;
            core.pending = core.list.front();
            core.list.erase(core.list.begin());
            unitStarted[g.nodes[core.pending].unit] = true;
            coreOf[core.pending] = c;
            return true;
        }
        if (core.unitLeft.empty()) {
            const std::uint32_t unit = bestUnit(c);
            if (unit == kNone)
                return false;
            unitStarted[unit] = true;
            const auto nodes = g.nodesOf(unit);
            core.unitLeft.assign(nodes.begin(), nodes.end());
        }
        core.pending = core.unitLeft.front();
        core.unitLeft.erase(core.unitLeft.begin());
        coreOf[core.pending] = c;
        return true;
    }

    std::uint32_t bestUnit(std::size_t c)
    {
        struct Terms
        {
            std::uint32_t unit, node;
            double cp, intensity, stall;
            bool memoryBound;
        };
        std::vector<Terms> all;
        const double infinite = std::numeric_limits<double>::infinity();
        for (const std::uint32_t u : allUnits) {
            if (!isCandidate(c, u))
                continue;
            const std::uint32_t node = g.nodesOf(u).front();
            std::int64_t bytes = 0;
            std::set<std::int64_t> used;
            for (const std::uint32_t t : g.inputs(node))
                if (!entry(c, t)) {
                    bytes += g.tiles[t].alignedBytes;
                    for (const Burst& b : burstsOf(t))
                        used.insert(b.channel);
                }
            for (const std::uint32_t t : g.outputs(node))
                bytes += g.tiles[t].alignedBytes;
            std::int64_t queued = 0;
            for (const std::int64_t ch : used)
                for (const Transfer& x : transfers)
                    if (x.active)
                        queued += queuedOn(x, static_cast<int>(ch)) * hw.dram.burstBytes;
            const auto rate = static_cast<std::int64_t>(used.size()) * hw.dram.bytesPerCycle;
            const std::int64_t alone = bandwidthAlone();
            const TileNode& n = g.nodes[node];
            all.push_back(
                {u, node, cp[node],
                 bytes == 0 ? infinite : static_cast<double>(n.computeCycles) / static_cast<double>(bytes),
                 used.empty() ? 0.0 : static_cast<double>(queued) / static_cast<double>(rate),
                 n.memBytes > n.computeCycles * alone});
        }
        if (all.empty())
            return kNone;
        const auto normalised = [&](double Terms::*field) {
            double low = infinite;
            double high = -infinite;
            for (const Terms& x : all)
                if (x.*field != infinite) {
                    low = std::min(low, x.*field);
                    high = std::max(high, x.*field);
                }
            std::vector<double> out;
            for (const Terms& x : all)
                out.push_back(!(high > low)          ? 0.0
                              : x.*field == infinite ? 1.0
                                                     : (x.*field - low) / (high - low));
            return out;
        };
        const auto a = normalised(&Terms::cp), b = normalised(&Terms::intensity),
                   s = normalised(&Terms::stall);
        std::size_t best = 0;
        const auto rank = [&](std::size_t i) {
            const double score = options.weights.criticalPath * a[i] + options.weights.intensity * b[i] -
                                 options.weights.dramStall * s[i];
            return std::tuple(options.memoryBoundFirst && !all[i].memoryBound, -score, all[i].node);
        };
        for (std::size_t i = 1; i < all.size(); ++i)
            if (rank(i) < rank(best))
                best = i;
        return all[best].unit;
    }

    /// Bursts of a transfer that a channel has not finished.
    std::int64_t queuedOn(const Transfer& x, int channel) const
    {
        std::int64_t count = 0;
        const auto add = [&](const Burst& b) { count += b.channel == channel ? b.count : 0; };
        std::for_each(x.queue.begin(), x.queue.end(), add);
        for (const auto& request : x.requests)
            std::for_each(request.begin(), request.end(), add);
        for (const auto& [time, burst] : x.onWay)
            add(burst);
        for (const Bank& b : channels[static_cast<std::size_t>(channel)].banks)
            if (b.busy && &transfers[b.transfer] == &x)
                count += b.burst.count;
        return count;
    }

    bool isWritten(std::uint32_t tile) const
    {
        for (std::size_t n = 0; n < g.nodes.size(); ++n)
            for (const std::uint32_t o : g.outputs(n))
                if (!stored[n] && overlap(g.tiles[o], g.tiles[tile]))
                    return false;
        return true;
    }
    bool depsMet(std::size_t c, std::uint32_t node) const
    {
        for (const std::uint32_t d : g.deps.of(node))
            if (!isUsable(d) && !(done[d] && coreOf[d] == c))
                return false;
        return true;
    }

    void finishNode(std::size_t c, std::uint32_t node, Cycle t)
    {
        Core& core = cores[c];
        done[node] = true;
        for (const std::uint32_t tile : g.inputs(node)) {
            --entry(c, tile)->pins;
            entry(c, tile)->lastUse = t;
        }
        const TileNode& n = g.nodes[node];
        if (n.accumulator != kNone && g.nodesOf(n.unit).back() == node)
            core.scratch -= n.scratchBytes;
        for (const std::uint32_t tile : g.outputs(node)) {
            Entry* e = entry(c, tile);
            --e->pins;
            e->lastUse = t;
            e->dirty = e->made = true;
            if (mustStore(node, tile))
                core.toStore.emplace_back(node, tile);
            else
                core.held.emplace_back(node, tile);
            ++storesLeft[node];
        }
        if (storesLeft[node] == 0)
            stored[node] = true;
    }

    // --- SPM ---------------------------------------------------------------------------------------------

    Entry* entry(std::size_t c, std::uint32_t tile)
    {
        for (Entry& e : cores[c].spm)
            if (e.tile == tile)
                return &e;
        return nullptr;
    }
    std::int64_t used(std::size_t c) const
    {
        std::int64_t bytes = cores[c].scratch;
        for (const Entry& e : cores[c].spm)
            bytes += e.bytes;
        return bytes;
    }

    bool allocate(std::size_t c);

    // --- from core to core -------------------------------------------------------------------------------

    enum class Way { Dram, Waits, Changed };
    void findParts();
    bool writes(std::uint32_t node, std::uint32_t tile) const;
    bool isUsable(std::uint32_t node) const;
    bool mustStore(std::uint32_t node, std::uint32_t result) const;
    bool isSending(std::size_t c) const;
    void storeHeld(std::size_t c, std::uint32_t result);
    void makeRoom(std::size_t c, const std::vector<std::uint32_t>& want, std::int64_t lacking);
    Way receive(std::size_t c, std::uint32_t tile, Cycle t);
    void endPart(std::size_t c, const Transfer& x, Cycle t);
    void dropResults(std::uint32_t node);

    // --- DRAM and NoC ------------------------------------------------------------------------------------

    static int hashed(int number, int count, std::int64_t above);
    /// From the tile's elements: runs, widened to bursts, cut at interleave blocks.
    std::vector<Burst> burstsOf(std::uint32_t tileId) const;

    /// Takes what the shared memory supplies out of the bursts of a transfer.
    void takeShared(std::size_t slot, Transfer& x);
    void deliverShared();
    void join(std::size_t slot, Transfer& x);
    void follow();
    void startTransfer(std::size_t slot, std::uint32_t tile, std::uint32_t node, Cycle t);
    void cutRequests(Transfer& x, Cycle t);
    void sendRequest(Transfer& x, Cycle t);
    void endBurst(Transfer& x, const Burst& burst, Cycle t);
    void takeArrivals(Transfer& x, Cycle t);

    void shareNoc();

    std::int32_t headOf(const Transfer& x) const { return g.nodes[x.node].head; }

    void serveDram(Cycle t);

    // --- what is seen --------------------------------------------------------------------------------------

    bool finished() const
    {
        return std::all_of(stored.begin(), stored.end(), [](bool b) { return b; });
    }

    CoreState stateOf(std::size_t c)
    {
        const Core& core = cores[c];
        const auto waitFor = [&](std::size_t slot) {
            return transfers[slot].byNoc ? CoreState::WaitNoc : CoreState::WaitDram;
        };
        if (core.running[0] != kNone)
            return CoreState::Tensor;
        if (core.running[1] != kNone)
            return CoreState::Vector;
        if (core.pending != kNone) {
            if (!core.allocated)
                return CoreState::WaitSpm;
            return transfers[2 * c].active ? waitFor(2 * c) : CoreState::WaitDependency;
        }
        bool more = !core.list.empty() || !core.unitLeft.empty();
        if (options.scheduler == Scheduler::Dynamic)
            for (const std::uint32_t u : allUnits) {
                const std::int32_t head = g.nodes[g.nodesOf(u).front()].head;
                const bool other = options.assignment == Assignment::HeadParallel && head >= 0 &&
                                   head % hw.cores != static_cast<int>(c);
                more = more || (!unitStarted[u] && !other);
            }
        if (more)
            return CoreState::WaitDependency;
        return transfers[2 * c + 1].active ? waitFor(2 * c + 1) : CoreState::Idle;
    }

    const NpuGraph& g;
    NpuHardware hw;
    RunOptions options;
    std::vector<Core> cores;
    std::vector<Transfer> transfers;
    std::vector<Channel> channels;
    std::vector<Line> lines; // of the shared memory, the least recently used first
    std::vector<bool> done, stored, started, unitStarted, accumulatorOpen;
    std::vector<std::vector<Part>> parts; // by tile; empty if it cannot come from cores
    std::set<std::uint32_t> storedResults;
    std::vector<std::size_t> coreOf;
    std::vector<int> storesLeft;
    std::vector<std::uint32_t> allUnits;
    std::vector<double> cp;
    int nextAge = 0;
    TickResult out;
};

} // namespace tilewright::npu::test

#include "npu_ticking_memory.h"  // IWYU pragma: export
#include "npu_ticking_passing.h" // IWYU pragma: export
