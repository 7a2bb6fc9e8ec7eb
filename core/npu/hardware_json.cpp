// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/hardware_json.h"

#include "base/file.h"

#include <bit>

namespace tilewright::npu {

namespace {

constexpr std::array kArbiters{Arbiter::DramAware, Arbiter::OldestFirst};

std::string_view arbiterName(Arbiter arbiter)
{
    return arbiter == Arbiter::DramAware ? "dram_aware" : "oldest_first";
}

void bindDram(JsonFields& f, DramHardware& dram)
{
    constexpr Integers kBlock{1, 1 << 24};
    constexpr Integers kCycles{0, 1 << 20};
    f.optional("channels", dram.channels, Integers{1, kMaxChannels});
    f.optional("banks", dram.banks, Integers{1, kMaxBanks});
    f.optional("bytes_per_cycle", dram.bytesPerCycle, Integers{1, 1 << 16});
    f.optional("burst_bytes", dram.burstBytes, Integers{1, 1 << 16});
    f.optional("interleave_bytes", dram.interleaveBytes, kBlock);
    f.optional("row_bytes", dram.rowBytes, kBlock);
    f.optional("row_hit_cycles", dram.rowHitCycles, kCycles);
    f.optional("row_miss_cycles", dram.rowMissCycles, kCycles);
    f.optional("arbiter", dram.arbiter, Words<Arbiter>{kArbiters, arbiterName});
    for (const auto& [key, value] :
         {std::pair{"burst_bytes", dram.burstBytes}, std::pair{"interleave_bytes", dram.interleaveBytes},
          std::pair{"row_bytes", dram.rowBytes}})
        if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
            f.fail(key, std::to_string(value) + " is not a power of two");
    if (dram.interleaveBytes < dram.burstBytes)
        f.fail("interleave_bytes", "must be a multiple of dram.burst_bytes");
    if (dram.rowBytes < dram.interleaveBytes)
        f.fail("row_bytes", "must be a multiple of dram.interleave_bytes");
}

} // namespace

void bindFields(JsonFields& f, NpuHardware& hw)
{
    constexpr Integers kSide{1, 65536};
    constexpr Integers kPasses{1, 1000};
    constexpr Integers kRate{1, 1 << 20};
    f.optional("name", hw.name);
    f.optional("cores", hw.cores, Integers{1, kMaxCores});
    f.optional("engine_rows", hw.engineRows, kSide);
    f.optional("engine_cols", hw.engineCols, kSide);
    f.optional("vector_lanes", hw.vectorLanes, Integers{1, 1 << 20});
    f.optional("clock_ghz", hw.clockGhz, Numbers{0.001, 1000});
    f.optional("spm_bytes", hw.spmBytes, Integers{1, std::int64_t{1} << 40});
    f.optional("accumulator_bytes", hw.accumulatorBytes, Integers{1, 16});
    f.optional("passes", [&](JsonFields& passes) {
        passes.optional("softmax", hw.passes.softmax, kPasses);
        passes.optional("layer_norm", hw.passes.layerNorm, kPasses);
        passes.optional("rms_norm", hw.passes.rmsNorm, kPasses);
        passes.optional("elementwise", hw.passes.elementwise, kPasses);
    });
    f.optional("dram", [&](JsonFields& dram) { bindDram(dram, hw.dram); });
    f.optional("energy_pj", [&](JsonFields& energy) {
        constexpr Numbers kPj{0, 1e9};
        energy.optional("mac", hw.energy.mac, kPj);
        energy.optional("spm", hw.energy.spm, kPj);
        energy.optional("noc", hw.energy.noc, kPj);
        energy.optional("dram", hw.energy.dram, kPj);
    });
    f.optional("noc", [&](JsonFields& noc) {
        noc.optional("link_bytes_per_cycle", hw.linkBytesPerCycle, kRate);
        noc.optional("trunk_bytes_per_cycle", hw.trunkBytesPerCycle, kRate);
    });
}

Status checkHardware(const NpuHardware& hw)
{
    return checkJsonValue(hw);
}

Result<NpuHardware> parseHardware(std::string_view text, const std::string& file)
{
    return parseJsonValue<NpuHardware>(text, file);
}

Result<NpuHardware> loadHardware(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseHardware(*text, path);
}

std::string hardwareToJson(const NpuHardware& hw)
{
    return jsonText(writeJson(hw), 2) + "\n";
}

} // namespace tilewright::npu
