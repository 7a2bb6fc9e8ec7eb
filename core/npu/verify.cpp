// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/verify.h"

#include "npu/forwarding.h"
#include "npu/instructions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tilewright::npu {

namespace {

/// Collects the first violation of each rule.
class Checker
{
public:
    void rule(const std::string& name, const std::string& text, const std::function<std::string()>& violation)
    {
        const std::string found = violation();
        m_checks.push_back({name, found.empty() ? text : found, found.empty()});
    }
    std::vector<RuleCheck> take() { return std::move(m_checks); }

private:
    std::vector<RuleCheck> m_checks;
};

std::string tileText(std::size_t tile)
{
    return "tile " + std::to_string(tile);
}

std::string checkTiles(const NpuGraph& g)
{
    for (std::size_t i = 0; i < g.tiles.size(); ++i) {
        const TileDesc& t = g.tiles[i];
        const NpuTensor& tensor = g.tensors[t.tensor];
        for (int d = 0; d < kMaxRank; ++d)
            if (t.offset[d] < 0 || t.shape[d] < 1 || t.offset[d] + t.shape[d] > tensor.shape[d])
                return tileText(i) + " reaches outside its tensor " + tensor.name;
        if (t.dramBase < tensor.dramBase || t.dramBase + t.dramSize > tensor.dramBase + tensor.dramSize)
            return tileText(i) + " has addresses outside its tensor " + tensor.name;
        std::int64_t bytes = 0;
        for (const Segment& s : segmentsOf(tensor, t)) {
            bytes += s.bytes * s.count;
            if (s.address < t.dramBase ||
                s.address + (s.count - 1) * s.stride + s.bytes > t.dramBase + t.dramSize)
                return tileText(i) + " has a segment outside its range";
        }
        // Neighbouring runs share a byte if the elements of a run are not whole bytes.
        const std::int64_t packed = tensor.bytesOf(t.elements());
        if (bytes < packed || (bytes > packed && tensor.bits % kPartsOfByte == 0))
            return "the segments of " + tileText(i) + " do not add up to its slice";
    }
    return {};
}

std::string checkOrder(const NpuGraph& g)
{
    const auto order = topologicalOrder(g);
    if (order.size() != g.nodes.size())
        return "the graph has a cycle, so only " + std::to_string(order.size()) + " nodes can be ordered";
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto deps = g.deps.of(i);
        if (std::adjacent_find(deps.begin(), deps.end()) != deps.end())
            return "node " + std::to_string(i) + " has a duplicate dependency";
    }
    return {};
}

/// Checks that output tiles do not overlap and cover their tensor. A cache that exists before the run need
/// not be covered.
std::string checkPartition(const NpuGraph& g)
{
    std::map<std::uint32_t, std::vector<std::uint32_t>> written;
    std::set<std::uint32_t> caches;
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.outputs(n)) {
            written[g.tiles[t].tensor].push_back(t);
            if (g.nodes[n].type == NodeType::KvStore)
                caches.insert(g.tiles[t].tensor);
        }
    for (auto& [tensor, tiles] : written) {
        std::int64_t elements = 0;
        for (const std::uint32_t t : tiles)
            elements += g.tiles[t].elements();
        if (!caches.contains(tensor) && elements != g.tensors[tensor].elements())
            return "the output tiles of " + g.tensors[tensor].name + " hold " + std::to_string(elements) +
                   " of " + std::to_string(g.tensors[tensor].elements()) + " elements";
        // Sweep over the first dimension; boxes with equal starts are compared in the other dimensions.
        std::sort(tiles.begin(), tiles.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return g.tiles[a].offset < g.tiles[b].offset; });
        std::set<std::array<std::int64_t, kMaxRank>> origins;
        for (const std::uint32_t t : tiles)
            if (!origins.insert(g.tiles[t].offset).second)
                return "two output tiles of " + g.tensors[tensor].name + " start at one place";
        if (tiles.size() <= 4096)
            for (std::size_t i = 0; i < tiles.size(); ++i)
                for (std::size_t j = i + 1; j < tiles.size(); ++j) {
                    const TileDesc &a = g.tiles[tiles[i]], &b = g.tiles[tiles[j]];
                    if (b.offset[0] >= a.offset[0] + a.shape[0])
                        break;
                    if (overlap(a, b))
                        return "output tiles " + std::to_string(tiles[i]) + " and " +
                               std::to_string(tiles[j]) + " of " + g.tensors[tensor].name + " overlap";
                }
    }
    return {};
}

/// Checks that a dependency of the node writes each element that the node reads, if any node writes it.
std::string checkInputs(const NpuGraph& g)
{
    std::vector<std::uint32_t> outputOf(g.tiles.size(), kNone);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.outputs(n))
            outputOf[t] = static_cast<std::uint32_t>(n);
    std::vector<bool> isWritten(g.tensors.size(), false);
    std::vector<bool> isCache(g.tensors.size(), false);
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.outputs(n)) {
            isWritten[g.tiles[t].tensor] = true;
            if (g.nodes[n].type == NodeType::KvStore)
                isCache[g.tiles[t].tensor] = true;
        }
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        const auto deps = g.deps.of(n);
        for (const std::uint32_t t : g.inputs(n)) {
            if (!isWritten[g.tiles[t].tensor])
                continue;
            std::int64_t covered = 0;
            for (const std::uint32_t d : deps)
                for (const std::uint32_t o : g.outputs(d)) {
                    const TileDesc &a = g.tiles[t], &b = g.tiles[o];
                    if (!overlap(a, b))
                        continue;
                    std::int64_t part = 1;
                    for (int k = 0; k < kMaxRank; ++k)
                        part *= std::min(a.offset[k] + a.shape[k], b.offset[k] + b.shape[k]) -
                                std::max(a.offset[k], b.offset[k]);
                    covered += part;
                }
            if (covered != g.tiles[t].elements() && !isCache[g.tiles[t].tensor])
                return "node " + std::to_string(n) + " reads " + tileText(t) + ", of which only " +
                       std::to_string(covered) + " elements come from its dependencies";
        }
    }
    return {};
}

std::string checkExecution(const NpuGraph& g, const NpuRun& run)
{
    const Forwarding forwarding(g, run.hardware);
    std::vector<int> executed(g.nodes.size(), 0);
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        const CoreRun& core = run.cores[c];
        for (const Choice& choice : core.choices)
            ++executed[choice.node];
        for (const auto* spans : {&core.tensor, &core.vector}) {
            Cycle free = 0;
            for (const ComputeSpan& s : *spans) {
                if (s.end - s.start != g.nodes[s.node].computeCycles)
                    return "node " + std::to_string(s.node) + " computes for " +
                           std::to_string(s.end - s.start) + " cycles";
                if (s.start < free)
                    return "node " + std::to_string(s.node) + " starts before its engine is idle";
                free = s.end;
                for (const std::uint32_t d : g.deps.of(s.node)) {
                    const bool isEarly = run.coreOf[d] == c || forwarding.passesOn(d);
                    const Cycle met = isEarly ? run.doneAt[d] : run.storedAt[d];
                    if (s.start < met)
                        return "node " + std::to_string(s.node) + " starts at " + std::to_string(s.start) +
                               ", before node " + std::to_string(d) + " is done at " + std::to_string(met);
                }
            }
        }
    }
    for (std::size_t n = 0; n < executed.size(); ++n)
        if (executed[n] != 1)
            return "node " + std::to_string(n) + " is executed " + std::to_string(executed[n]) + " times";
    return {};
}

/// Checks that a tile is read from DRAM only after all nodes that write it have stored it.
std::string checkLoads(const NpuGraph& g, const NpuRun& run)
{
    const Forwarding forwarding(g, run.hardware);
    std::vector<Cycle> storedAt(g.tiles.size(), kNever); // per result tile: end of its store
    for (const CoreRun& core : run.cores)
        for (const TransferSpan& s : core.stores)
            storedAt[s.tile] = s.end;
    for (const CoreRun& core : run.cores)
        for (const TransferSpan& s : core.loads)
            for (const std::uint32_t w : g.writersOf.of(s.tile))
                for (const std::uint32_t o : g.outputs(w))
                    if (s.from < 0 && overlap(g.tiles[s.tile], g.tiles[o]) &&
                        s.start < (forwarding.passesOn(w) ? storedAt[o] : run.storedAt[w]))
                        return tileText(s.tile) + " is loaded at " + std::to_string(s.start) +
                               ", before node " + std::to_string(w) + " has stored it";
    return {};
}

/// Checks core-to-core transfers: data from other cores is produced and complete before it is used, a core
/// sends one tile at a time and does not store meanwhile, and results that must be in DRAM get there.
std::string checkPassing(const NpuGraph& g, const NpuRun& run)
{
    const Forwarding forwarding(g, run.hardware);
    std::vector<std::vector<std::pair<Cycle, Cycle>>> leaves(
        run.cores.size()); // per core: use of its store DMA
    std::vector<bool> isStored(g.tiles.size(), false);
    std::int64_t passed = 0;
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        for (const TransferSpan& s : run.cores[c].stores) {
            leaves[c].emplace_back(s.start, s.end);
            isStored[s.tile] = true;
        }
        // Key: node and tile; value: bytes received.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> received;
        for (const TransferSpan& s : run.cores[c].loads) {
            if (s.from < 0)
                continue;
            leaves[static_cast<std::size_t>(s.from)].emplace_back(s.start, s.end);
            passed += s.passed;
            std::int64_t ofCore = 0;
            for (const TilePart& part : forwarding.partsOf(s.tile))
                if (run.coreOf[part.writer] == s.from && run.doneAt[part.writer] <= s.start)
                    ofCore += part.bytes;
            if (ofCore < s.passed)
                return tileText(s.tile) + " comes from core " + std::to_string(s.from) + " at " +
                       std::to_string(s.start) + ", before that core has made it";
            received[{s.node, s.tile}] += s.passed;
        }
        for (const auto& [key, bytes] : received) {
            std::int64_t all = 0;
            for (const TilePart& part : forwarding.partsOf(key.second))
                all += part.bytes;
            if (bytes != all)
                return "node " + std::to_string(key.first) + " has " + std::to_string(bytes) + " of " +
                       std::to_string(all) + " bytes of " + tileText(key.second);
        }
    }
    if (passed != run.passedBytes)
        return "cores load " + std::to_string(passed) + " bytes from cores, which send " +
               std::to_string(run.passedBytes);
    for (std::size_t c = 0; c < leaves.size(); ++c) {
        std::sort(leaves[c].begin(), leaves[c].end());
        for (std::size_t i = 1; i < leaves[c].size(); ++i)
            if (leaves[c][i].first < leaves[c][i - 1].second)
                return "core " + std::to_string(c) + " sends two tiles at cycle " +
                       std::to_string(leaves[c][i].first);
    }
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
        for (const std::uint32_t t : g.outputs(n))
            if (forwarding.mustStore(t) && !isStored[t])
                return tileText(t) + " is never stored";
    return {};
}

std::string checkBytes(const NpuGraph& g, const NpuRun& run)
{
    std::int64_t moved = 0; // bytes moved by DRAM
    for (const CoreRun& core : run.cores)
        for (const auto* spans : {&core.loads, &core.stores})
            for (const TransferSpan& s : *spans) {
                if (s.shared < 0 || s.shared > g.tiles[s.tile].alignedBytes)
                    return tileText(s.tile) + " has " + std::to_string(s.shared) +
                           " bytes of the shared memory";
                if (s.joined && s.shared != g.tiles[s.tile].alignedBytes)
                    return tileText(s.tile) + " joins a load that does not have all of it";
                if (s.from < 0)
                    moved += g.tiles[s.tile].alignedBytes - s.shared;
            }
    if (moved != run.dramBytes)
        return "loads and stores move " + std::to_string(moved) + " bytes, DRAM " +
               std::to_string(run.dramBytes);
    if (!run.options.recordDram)
        return {};
    std::int64_t onTimeline = 0;
    std::vector<Cycle> busFree(run.dramBusy.size(), 0);
    for (const DramEvent& e : run.dramEvents) {
        onTimeline += e.bursts * run.hardware.dram.burstBytes;
        if (e.start < busFree[e.channel])
            return "the bus of channel " + std::to_string(e.channel) +
                   " has two overlapping bursts at cycle " + std::to_string(e.start);
        busFree[e.channel] = e.end;
        const DramPlace place = placeOf(run.hardware.dram, e.address);
        if (place.channel != e.channel || place.bank != e.bank)
            return "the address " + std::to_string(e.address) + " is served by the wrong bank";
    }
    return onTimeline == moved ? std::string()
                               : "the DRAM timeline holds " + std::to_string(onTimeline) + " bytes of " +
                                     std::to_string(moved);
}

std::string checkAttribution(const NpuRun& run)
{
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        const CoreRun& core = run.cores[c];
        Cycle sum = 0;
        for (const Cycle part : core.cycles)
            sum += part;
        if (sum != run.makespan)
            return "the cycles of core " + std::to_string(c) + " add up to " + std::to_string(sum);
        Cycle at = 0;
        for (const StateSpan& s : core.states) {
            if (s.start != at)
                return "core " + std::to_string(c) + " has no state at cycle " + std::to_string(at);
            at = s.end;
        }
        if (at != run.makespan)
            return "core " + std::to_string(c) + " has no state at the end";
    }
    return {};
}

std::string checkReplay(const NpuRun& run, const Result<NpuRun>& again)
{
    if (!again)
        return again.error().text();
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        const CoreRun &a = run.cores[c], &b = again->cores[c];
        if (a.tensor != b.tensor || a.vector != b.vector)
            return "the replay has other compute times on core " + std::to_string(c);
        if (a.loads != b.loads || a.stores != b.stores)
            return "the replay has other transfer times on core " + std::to_string(c);
    }
    return again->makespan == run.makespan ? std::string() : "the replay has another makespan";
}

} // namespace

std::vector<RuleCheck> verifyGraph(const NpuGraph& g)
{
    Checker checker;
    checker.rule("tile_invariants", "every tile lies inside its tensor and its segments are its slice",
                 [&] { return checkTiles(g); });
    checker.rule("dag_acyclic", "the nodes have a topological order and no duplicate edges",
                 [&] { return checkOrder(g); });
    checker.rule("output_partition", "output tiles partition their tensor",
                 [&] { return checkPartition(g); });
    checker.rule("inputs_covered", "the dependencies of every node write its inputs",
                 [&] { return checkInputs(g); });
    checker.rule("node_fits_spm", "the tiles of every node fit into SPM", [&]() -> std::string {
        for (std::size_t n = 0; n < g.nodes.size(); ++n)
            if (g.spmOf(n) > g.hardware.spmBytes)
                return "node " + std::to_string(n) + " needs " + std::to_string(g.spmOf(n)) + " bytes";
        return {};
    });
    return checker.take();
}

std::vector<RuleCheck> verifyRun(const NpuGraph& g, const NpuRun& run, bool withReplay)
{
    Checker checker;
    checker.rule("executed_once", "every node ran exactly once, after its dependencies",
                 [&] { return checkExecution(g, run); });
    checker.rule("loads_after_stores", "no tile was read before it was written",
                 [&] { return checkLoads(g, run); });
    checker.rule("core_to_core",
                 "what cores send to each other is made before, whole, and stored if it must be",
                 [&] { return checkPassing(g, run); });
    checker.rule("spm_capacity", "SPM never held more than its capacity", [&]() -> std::string {
        for (std::size_t c = 0; c < run.cores.size(); ++c)
            for (const TimedValue& s : run.cores[c].spm)
                if (s.value > run.hardware.spmBytes || s.value < 0)
                    return "core " + std::to_string(c) + " holds " + std::to_string(s.value) + " bytes at " +
                           std::to_string(s.time);
        return {};
    });
    checker.rule(
        "dram_bytes",
        "bytes on the DRAM timeline equal loads plus stores, without what the shared memory supplied",
        [&] { return checkBytes(g, run); });
    checker.rule("attribution", "the states of every core cover the makespan exactly",
                 [&] { return checkAttribution(run); });
    if (withReplay)
        checker.rule("replay", "the instructions reproduce the timeline",
                     [&] { return checkReplay(run, retrace(g, run, instructionsOf(g, run))); });
    return checker.take();
}

bool allPassed(const std::vector<RuleCheck>& checks) noexcept
{
    return std::all_of(checks.begin(), checks.end(), [](const RuleCheck& c) { return c.passed; });
}

} // namespace tilewright::npu
