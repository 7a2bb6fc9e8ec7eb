// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/block_estimate.h"

#include "base/integer.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tilewright::npu {

TileMove moveOf(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile)
{
    constexpr std::int64_t kGroups = 256;
    TileDesc part = tile;
    int inner = kMaxRank - 1; // from here on the dimensions make one run
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
    std::int64_t bursts = 0, latency = 0; // of the largest group, until the bus gets it
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
    out.alone = scale * static_cast<double>(alone) + static_cast<double>(latency);
    out.again = scale * static_cast<double>(again);
    out.banks = scale * static_cast<double>(all);
    return out;
}

double estimatedCycles(const NpuHardware& hw, const BlockGrid& g) noexcept
{
    const auto parts = static_cast<double>(g.parts);
    const std::int64_t blocks = g.rows * g.cols;
    const std::int64_t waves = ceilDiv(blocks, hw.cores);
    const auto chains = static_cast<double>(blocks);
    const auto cores = static_cast<double>(std::min<std::int64_t>(blocks, hw.cores));
    const double rate =
        static_cast<double>(std::min(hw.trunkBytesPerCycle, hw.dram.channels * hw.dram.bytesPerCycle));
    const auto link = static_cast<double>(hw.linkBytesPerCycle);
    const auto spm = static_cast<double>(hw.spmBytes);

    // Operands that stay: those of a row while a core takes its columns one after the other, and those of all
    // the columns that a core has. Blocks are dealt to the cores in turn.
    const double outerPanel = parts * g.outerBytes, innerPanel = parts * g.innerBytes;
    const double room = spm - 2 * g.resultBytes - g.outerBytes - g.innerBytes;
    const auto columns =
        static_cast<double>(std::min(waves, g.cols / std::gcd(g.cols, std::int64_t{hw.cores})));
    double outerLoads = chains, innerLoads = chains;
    if (outerPanel + innerPanel <= room)
        outerLoads =
            static_cast<double>(g.rows) * static_cast<double>(std::min<std::int64_t>(g.cols, hw.cores));
    if (!g.innerOfRow && columns * innerPanel + outerPanel <= room)
        innerLoads = std::min(chains, cores * columns);

    // The cores load at the same time. Those of a row load the same tiles of the outer operand.
    const double rows =
        static_cast<double>(ceilDiv(static_cast<std::int64_t>(cores), g.columnsAtOnce(hw.cores)));
    const double outer = std::max(g.outer.alone + (cores - 1) * g.outer.again, g.outer.bytes / link);
    const double inner =
        std::max(g.innerAtOnce.alone + (rows - 1) * g.innerAtOnce.again, g.inner.bytes / link);
    const double first = std::max(outer + inner, cores * (g.outer.bytes + g.inner.bytes) / rate);
    const double last =
        std::max({rows * g.resultAtOnce.alone, g.result.bytes / link, cores * g.result.bytes / rate});
    double busy = g.tensorCycles / chains * static_cast<double>(waves);
    if (2 * (g.outerBytes + g.innerBytes + g.resultBytes) > spm) // the next block waits until this is stored
        busy += static_cast<double>(waves - 1) * (first + last);
    const double loads = parts * (outerLoads * outer + innerLoads * inner) / cores;
    const double bytes =
        parts * (outerLoads * g.outer.bytes + innerLoads * g.inner.bytes) + chains * g.result.bytes;
    const double banks =
        parts * (outerLoads * g.outer.banks + innerLoads * g.inner.banks) + chains * g.result.banks;
    const double moved = std::max(
        {bytes / rate, bytes / cores / link, banks / static_cast<double>(hw.dram.channels * hw.dram.banks)});
    return std::max({busy + first, loads, moved}) + last;
}

} // namespace tilewright::npu
