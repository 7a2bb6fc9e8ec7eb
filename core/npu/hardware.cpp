// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/hardware.h"

#include <algorithm>
#include <bit>

namespace tilewright::npu {

std::int64_t NpuHardware::bandwidthAlone() const noexcept
{
    return std::min({linkBytesPerCycle, trunkBytesPerCycle, dram.channels * dram.bytesPerCycle});
}

Status checkHardware(const NpuHardware& hw)
{
    const auto bad = [](const char* field, const std::string& reason) {
        return Error{ErrorCode::Problem, reason, field, {}};
    };
    struct Range
    {
        const char* field;
        std::int64_t value, min, max;
    };
    const std::int64_t big = std::int64_t{1} << 24;
    for (const Range& r : {
             Range{"cores", hw.cores, 1, kMaxCores},
             Range{"engine_rows", hw.engineRows, 1, 65536},
             Range{"engine_cols", hw.engineCols, 1, 65536},
             Range{"vector_lanes", hw.vectorLanes, 1, 1 << 20},
             Range{"spm_bytes", hw.spmBytes, 1, std::int64_t{1} << 40},
             Range{"accumulator_bytes", hw.accumulatorBytes, 1, 16},
             Range{"passes.softmax", hw.passes.softmax, 1, 1000},
             Range{"passes.layer_norm", hw.passes.layerNorm, 1, 1000},
             Range{"passes.rms_norm", hw.passes.rmsNorm, 1, 1000},
             Range{"passes.elementwise", hw.passes.elementwise, 1, 1000},
             Range{"dram.channels", hw.dram.channels, 1, kMaxChannels},
             Range{"dram.banks", hw.dram.banks, 1, kMaxBanks},
             Range{"dram.bytes_per_cycle", hw.dram.bytesPerCycle, 1, 1 << 16},
             Range{"dram.burst_bytes", hw.dram.burstBytes, 1, 1 << 16},
             Range{"dram.interleave_bytes", hw.dram.interleaveBytes, 1, big},
             Range{"dram.row_bytes", hw.dram.rowBytes, 1, big},
             Range{"dram.row_hit_cycles", hw.dram.rowHitCycles, 0, 1 << 20},
             Range{"dram.row_miss_cycles", hw.dram.rowMissCycles, 0, 1 << 20},
             Range{"noc.link_bytes_per_cycle", hw.linkBytesPerCycle, 1, 1 << 20},
             Range{"noc.trunk_bytes_per_cycle", hw.trunkBytesPerCycle, 1, 1 << 20},
         })
        if (r.value < r.min || r.value > r.max)
            return bad(r.field, "expected " + std::to_string(r.min) + " to " + std::to_string(r.max) +
                                    ", got " + std::to_string(r.value));
    for (const auto& [field, value] : {std::pair{"dram.burst_bytes", hw.dram.burstBytes},
                                       std::pair{"dram.interleave_bytes", hw.dram.interleaveBytes},
                                       std::pair{"dram.row_bytes", hw.dram.rowBytes}})
        if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
            return bad(field, std::to_string(value) + " is not a power of two");
    if (hw.dram.interleaveBytes < hw.dram.burstBytes)
        return bad("dram.interleave_bytes", "must be a multiple of dram.burst_bytes");
    if (hw.dram.rowBytes < hw.dram.interleaveBytes)
        return bad("dram.row_bytes", "must be a multiple of dram.interleave_bytes");
    return Unit{};
}

DramPlace placeOf(const DramHardware& dram, std::int64_t address) noexcept
{
    const std::int64_t block = address / dram.interleaveBytes;
    DramPlace place;
    place.channel = static_cast<int>(block % dram.channels);
    place.bank = static_cast<int>((block / dram.channels) % dram.banks);
    const std::int64_t local =
        block / dram.channels / dram.banks * dram.interleaveBytes + address % dram.interleaveBytes;
    place.row = local / dram.rowBytes;
    return place;
}

} // namespace tilewright::npu
