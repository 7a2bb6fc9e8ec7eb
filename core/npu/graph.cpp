// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/graph.h"

#include "base/integer.h"

#include <algorithm>
#include <set>

namespace tilewright::npu {

std::vector<Segment> segmentsOf(const NpuTensor& tensor, const TileDesc& tile)
{
    std::vector<Segment> out;
    forEachRun(tensor, tile, [&](std::int64_t address, std::int64_t bytes) {
        // Runs can differ in bytes if elements are not whole bytes.
        if (!out.empty() && out.back().bytes == bytes) {
            Segment& last = out.back();
            const std::int64_t next = address - (last.address + (last.count - 1) * last.stride);
            if (last.count == 1) {
                last.stride = next;
                ++last.count;
                return;
            }
            // A run at another distance, from a step in an outer dimension, begins a new segment.
            if (next == last.stride) {
                ++last.count;
                return;
            }
        }
        out.push_back({address, bytes, 1, 0});
    });
    return out;
}

void placeTile(const NpuTensor& tensor, std::int64_t burstBytes, int accumulatorBytes, TileDesc& tile)
{
    tile.dramBase = -1;
    tile.alignedBytes = 0;
    forEachRun(tensor, tile, [&](std::int64_t address, std::int64_t bytes) {
        if (tile.dramBase < 0)
            tile.dramBase = address;
        tile.dramSize = address + bytes - tile.dramBase;
        tile.alignedBytes += roundUp(address + bytes, burstBytes) - roundDown(address, burstBytes);
    });
    tile.spmRequired =
        tile.accumulator ? tile.elements() * accumulatorBytes : tensor.bytesOf(tile.elements());
}

bool overlap(const TileDesc& a, const TileDesc& b) noexcept
{
    if (a.tensor != b.tensor)
        return false;
    for (int d = 0; d < kMaxRank; ++d)
        if (a.offset[d] >= b.offset[d] + b.shape[d] || b.offset[d] >= a.offset[d] + a.shape[d])
            return false;
    return true;
}

std::vector<BurstGroup> burstGroups(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile)
{
    std::vector<BurstGroup> out;
    forEachRun(tensor, tile, [&](std::int64_t address, std::int64_t bytes) {
        const std::int64_t end = roundUp(address + bytes, dram.burstBytes);
        for (std::int64_t at = roundDown(address, dram.burstBytes); at < end;) {
            const std::int64_t stop =
                std::min(end, roundDown(at, dram.interleaveBytes) + dram.interleaveBytes);
            out.push_back({at, (stop - at) / dram.burstBytes, placeOf(dram, at)});
            at = stop;
        }
    });
    return out;
}

TileBursts burstsOf(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile)
{
    TileBursts out;
    std::set<int> channels, banks;
    for (const BurstGroup& group : burstGroups(dram, tensor, tile)) {
        out.bursts += group.bursts;
        channels.insert(group.place.channel);
        banks.insert(group.place.bank);
    }
    out.channels.assign(channels.begin(), channels.end());
    out.banks.assign(banks.begin(), banks.end());
    return out;
}

} // namespace tilewright::npu
