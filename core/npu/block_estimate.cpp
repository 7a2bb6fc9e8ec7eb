// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/block_estimate.h"

#include "base/integer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tilewright::npu {

TileMove moveOf(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile)
{
    constexpr std::int64_t kGroups = 256;
    TileDesc part = tile;
    int inner = kMaxRank - 1; // dimensions from this one on are contiguous in DRAM
    while (inner > 0 && tile.shape[inner] == tensor.shape[inner])
        --inner;
    const std::int64_t most =
        std::max<std::int64_t>(1, kGroups * dram.interleaveBytes * kPartsOfByte / tensor.bits);
    std::int64_t run = 1;
    for (int d = kMaxRank - 1; d >= inner; --d) {
        part.shape[d] = std::clamp<std::int64_t>(most / run, 1, tile.shape[d]);
        run *= part.shape[d];
    }
    std::int64_t runs = kGroups / ceilDiv(tensor.bytesOf(run), dram.interleaveBytes);
    for (int d = inner - 1; d >= 0; --d) {
        part.shape[d] = std::clamp<std::int64_t>(runs, 1, tile.shape[d]);
        runs /= part.shape[d];
    }
    struct Bank
    {
        std::int64_t row = -1;
        std::int64_t cycles = 0, again = 0;
    };
    const auto banks = static_cast<std::size_t>(dram.banks);
    std::vector<Bank> bank(static_cast<std::size_t>(dram.channels) * banks);
    std::vector<std::int64_t> bus(static_cast<std::size_t>(dram.channels), 0);
    std::int64_t bursts = 0, latency = 0; // latency: cycles of the largest burst group until it gets the bus
    for (const BurstGroup& g : burstGroups(dram, tensor, part)) {
        const auto channel = static_cast<std::size_t>(g.place.channel);
        Bank& b = bank[channel * banks + static_cast<std::size_t>(g.place.bank)];
        const std::int64_t held = g.bursts * dram.busCyclesPerBurst();
        const std::int64_t hits = g.bursts * dram.rowHitCycles + held;
        b.cycles += hits + (b.row == g.place.row ? 0 : dram.rowMissCycles - dram.rowHitCycles);
        b.again += hits;
        b.row = g.place.row;
        bus[channel] += held;
        latency = std::max(latency, dram.rowMissCycles + (g.bursts - 1) * dram.rowHitCycles);
        bursts += g.bursts;
    }
    TileMove out;
    std::int64_t again = *std::max_element(bus.begin(), bus.end()), alone = again, all = 0;
    for (const Bank& b : bank) {
        alone = std::max(alone, b.cycles);
        again = std::max(again, b.again);
        all += b.cycles;
    }
    const double scale = static_cast<double>(tile.elements()) / static_cast<double>(part.elements());
    out.bytes = scale * static_cast<double>(bursts * dram.burstBytes);
    // A DMA is limited by its requests: each takes at least its latency, a row hit and its time on the bus.
    const auto trip =
        static_cast<double>(dram.readLatencyCycles + dram.rowHitCycles + dram.busCyclesPerBurst());
    const double requested =
        dram.outstandingRequests == 0
            ? 0
            : out.bytes /
                  static_cast<double>(dram.outstandingRequests * dram.burstsOfRequest() * dram.burstBytes) *
                  trip;
    out.alone = std::max(scale * static_cast<double>(alone), requested) +
                static_cast<double>(latency + dram.readLatencyCycles);
    out.again = std::max(scale * static_cast<double>(again), requested);
    out.banks = scale * static_cast<double>(all);
    return out;
}

namespace {

/// Loads of one operand. A panel is the row or column of tiles that one block of the result reads.
struct OperandLoads
{
    double panels = 0;  ///< number of panels that all cores load together
    double fetched = 0; ///< number of panels that come from DRAM; the shared memory supplies the others
    double first = 0;   ///< cycles to load a tile from DRAM while all cores load at the same time
    double near = 0;    ///< cycles to load a tile that is in the shared memory

    /// Cycles in which one core loads tiles of its panels.
    [[nodiscard]] double cyclesOfCore(double cores) const noexcept
    {
        return (fetched * first + (panels - fetched) * near) / cores;
    }
};

} // namespace

double estimatedCycles(const NpuHardware& hw, const BlockGrid& g) noexcept
{
    const auto parts = static_cast<double>(g.parts);
    const std::int64_t blocks = g.rows * g.cols, atOnce = g.columnsAtOnce(hw.cores);
    const std::int64_t waves = ceilDiv(blocks, hw.cores);
    const auto chains = static_cast<double>(blocks);
    const auto cores = static_cast<double>(std::min<std::int64_t>(blocks, hw.cores));
    const bool isShared = hw.shared.bytes > 0;
    const auto trunk = static_cast<double>(hw.rateOfTrunk());
    const auto reads = isShared ? std::min(trunk, static_cast<double>(hw.shared.readRate())) : trunk;
    const auto writes = isShared ? std::min(trunk, static_cast<double>(hw.shared.writeRate())) : trunk;
    const auto dram = std::min(static_cast<double>(hw.dramBytesPerCycle()), trunk);
    const auto link = static_cast<double>(hw.linkBytesPerCycle);
    const auto spm = static_cast<double>(hw.spmBytes);

    // Operands that stay in SPM: the outer panel of a row while a core takes the columns of the row one after
    // the other, and the inner panels of all columns of a core. Blocks are dealt to the cores in turn.
    const double outerPanel = parts * g.outerBytes, innerPanel = parts * g.innerBytes;
    const double room = spm - 2 * g.resultBytes - g.outerBytes - g.innerBytes;
    const auto columns =
        static_cast<double>(std::min(waves, g.cols / std::gcd(g.cols, std::int64_t{hw.cores})));
    OperandLoads outer, inner;
    outer.panels =
        outerPanel + innerPanel <= room ? static_cast<double>(g.rows) * static_cast<double>(atOnce) : chains;
    inner.panels = !g.innerOfRow && columns * innerPanel + outerPanel <= room
                       ? std::min(chains, cores * columns)
                       : chains;
    outer.fetched = outer.panels, inner.fetched = inner.panels;

    // The cores load at the same time. Cores of one row load the same tile of the outer operand, cores of one
    // column the same tile of the inner operand.
    const auto rows = static_cast<double>(ceilDiv(static_cast<std::int64_t>(cores), atOnce));
    const double supply = isShared ? reads : dram;
    // Numbers of cores that one read of the outer (inner) operand serves.
    const bool isMulticast = isShared && hw.shared.multicast;
    const double outerTogether = isMulticast ? cores / rows : 1;
    const double innerTogether = isMulticast && !g.innerOfRow ? rows : 1;
    const auto near = [&](const TileMove& move, double together) {
        return std::max(move.bytes / link, cores / together * move.bytes / supply);
    };
    outer.near = near(g.outer, outerTogether), inner.near = near(g.inner, innerTogether);
    double sameOuter = cores, sameInner = rows; // number of loads of the same tile from DRAM at the same time
    if (isShared) {
        // Each outer panel is loaded from DRAM once. Each inner panel is loaded once or, if the panels do not
        // all fit, once for each round of rows.
        const auto held = static_cast<double>(hw.shared.bytes);
        const double rounds = std::ceil(static_cast<double>(g.rows) / rows);
        const bool stays = static_cast<double>(g.cols) * innerPanel + rows * outerPanel <= held;
        outer.fetched = std::min(outer.panels, static_cast<double>(g.rows));
        inner.fetched = std::min(
            inner.panels, g.innerOfRow ? chains : static_cast<double>(g.cols) * (stays ? 1.0 : rounds));
        sameOuter = rows, sameInner = 1;
    }
    outer.first = std::max(g.outer.alone + (sameOuter - 1) * g.outer.again, outer.near);
    inner.first = std::max(g.innerAtOnce.alone + (sameInner - 1) * g.innerAtOnce.again, inner.near);
    const double first = outer.first + inner.first;
    const double last = std::max({rows * g.resultAtOnce.alone, g.result.bytes / link,
                                  cores * g.result.bytes / std::min(dram, writes)});
    double busy = g.tensorCycles / chains * static_cast<double>(waves);
    // A block waits until the previous one is stored.
    if (2 * (g.outerBytes + g.innerBytes + g.resultBytes) > spm)
        busy += static_cast<double>(waves - 1) * (first + last);

    const double loaded = parts * (outer.panels * g.outer.bytes + inner.panels * g.inner.bytes);
    const double carried = parts * (outer.panels / outerTogether * g.outer.bytes +
                                    inner.panels / innerTogether * g.inner.bytes); // bytes through the trunk
    const double fetched = parts * (outer.fetched * g.outer.bytes + inner.fetched * g.inner.bytes);
    const double stored = chains * g.result.bytes;
    const double banks =
        parts * (outer.fetched * g.outer.banks + inner.fetched * g.inner.banks) + chains * g.result.banks;
    const double moved = std::max({(fetched + stored) / dram, (carried + stored) / trunk, carried / reads,
                                   stored / writes, (loaded + stored) / cores / link,
                                   banks / static_cast<double>(hw.dram.channels * hw.dram.banks)});
    const double loads = parts * (outer.cyclesOfCore(cores) + inner.cyclesOfCore(cores));
    return std::max({busy + first, loads, moved}) + last;
}

} // namespace tilewright::npu
