// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workload/fixed_array.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::npu {

using Cycle = std::int64_t;

/// Largest number of cores of a machine. Up to this number, exact NoC shares fit into 128-bit integers.
inline constexpr int kMaxCores = 1024;
inline constexpr int kMaxChannels = 64;
inline constexpr int kMaxBanks = 64;

enum class Arbiter {
    OldestFirst,
    DramAware, ///< order: row hits, other banks, other heads, oldest (docs/rules/npu.md 5.3)
};

/// DRAM parameters of docs/rules/npu.md 2.5 and 5.3: sizes in bytes, times in cycles.
struct DramHardware
{
    int channels = 4;
    int banks = 16;                  ///< number of banks per channel
    std::int64_t bytesPerCycle = 16; ///< bandwidth of the data bus of one channel; 0: less than 1, refused
    std::int64_t burstBytes = 64;
    std::int64_t interleaveBytes = 256;
    std::int64_t rowBytes = 2048;
    Cycle rowHitCycles = 20;
    Cycle rowMissCycles = 60;
    /// Cycles from the request of a DMA until its bytes are queued at the banks.
    Cycle readLatencyCycles = 0, writeLatencyCycles = 0;
    /// Maximum number of requests of a core's DMA under way; 0: no limit.
    std::int64_t outstandingRequests = 0;
    std::int64_t requestBytes = 64; ///< bytes of the largest request, if the number of requests is limited
    bool addressHash = false;       ///< higher bits of the address permute channels and banks
    Arbiter arbiter = Arbiter::DramAware;
    bool operator==(const DramHardware&) const = default;

    /// Number of cycles for which one burst holds the data bus of the channel.
    [[nodiscard]] Cycle busCyclesPerBurst() const noexcept
    {
        return bytesPerCycle > 0 ? (burstBytes + bytesPerCycle - 1) / bytesPerCycle : burstBytes;
    }
    /// Number of bursts of the largest request.
    [[nodiscard]] std::int64_t burstsOfRequest() const noexcept
    {
        return requestBytes > burstBytes ? requestBytes / burstBytes : 1;
    }
    [[nodiscard]] Cycle latency(bool isStore) const noexcept
    {
        return isStore ? writeLatencyCycles : readLatencyCycles;
    }
};

/// By type of operator: how often the vector engine passes over the elements (docs/rules/npu.md 3).
struct VectorPasses
{
    int softmax = 4;
    int layerNorm = 3;
    int rmsNorm = 2;
    int elementwise = 1;
    bool operator==(const VectorPasses&) const = default;
};

/// Energies of the NPU in pJ per element moved, or per multiply-accumulate (one operation of a vector lane
/// counts as one). Defaults: docs/rules/npu.md 8.
struct NpuEnergy
{
    double mac = 0.075;
    double spm = 13.5;
    double noc = 2.0;
    double dram = 200.0;
    bool operator==(const NpuEnergy&) const = default;
};

/// A memory between DRAM and the NoC that all cores share (docs/rules/npu.md 5.7).
struct SharedHardware
{
    std::int64_t bytes = 0;         ///< capacity; 0: the machine has no shared memory
    std::int64_t bytesPerCycle = 1; ///< bandwidth of its port, or of each of its ports
    /// Bandwidths of the read port and of the write port; 0: one port serves reads and writes.
    std::int64_t readBytesPerCycle = 0, writeBytesPerCycle = 0;
    bool multicast = false; ///< one read serves all cores that load a tile at the same time
    bool operator==(const SharedHardware&) const = default;

    [[nodiscard]] bool hasTwoPorts() const noexcept { return readBytesPerCycle > 0; }
    /// Rate in bytes per cycle at which data leaves (enters) the memory.
    [[nodiscard]] std::int64_t readRate() const noexcept
    {
        return hasTwoPorts() ? readBytesPerCycle : bytesPerCycle;
    }
    [[nodiscard]] std::int64_t writeRate() const noexcept
    {
        return hasTwoPorts() ? writeBytesPerCycle : bytesPerCycle;
    }
    /// Rate in bytes per cycle of reads and writes together.
    [[nodiscard]] std::int64_t portRate() const noexcept
    {
        return hasTwoPorts() ? readBytesPerCycle + writeBytesPerCycle : bytesPerCycle;
    }
};

struct NpuHardware
{
    std::string name = "default";
    int cores = 4;
    std::int64_t engineRows = 64;
    std::int64_t engineCols = 64;
    std::int64_t arrays = 1; ///< number of engines of a core; they share the folds of a node
    /// Set if the engine is no systolic array but an array with fixed loops; `arrays` still applies.
    std::optional<FixedArray> fixed;
    std::int64_t vectorLanes = 128;
    double clockGhz = 1.0;
    std::int64_t spmBytes = std::int64_t{1} << 20;
    int accumulatorBytes = 4; ///< bytes of one element in an accumulator
    VectorPasses passes;
    DramHardware dram;
    std::int64_t linkBytesPerCycle = 32;   ///< NoC: link of one core (loads and stores together)
    std::int64_t trunkBytesPerCycle = 128; ///< NoC: trunk that all cores share
    /// Results may go from core to core instead of through DRAM (docs/rules/npu.md 5.8).
    bool coreToCore = false;
    SharedHardware shared;
    NpuEnergy energy;
    bool operator==(const NpuHardware&) const = default;

    /// Bandwidth of a core in bytes per cycle while no other core transfers data.
    [[nodiscard]] std::int64_t bandwidthAlone() const noexcept;
    /// Rate in bytes per cycle that all transfers share: that of the trunk or, if lower, that of the ports of
    /// the shared memory.
    [[nodiscard]] std::int64_t rateOfTrunk() const noexcept
    {
        return shared.bytes > 0 ? std::min(shared.portRate(), trunkBytesPerCycle) : trunkBytesPerCycle;
    }
    /// Largest number of bytes per cycle that all cores together receive. With multicast, one transfer over
    /// the trunk can serve several cores.
    [[nodiscard]] std::int64_t rateOfAllCores() const noexcept
    {
        return shared.bytes > 0 && shared.multicast ? cores * linkBytesPerCycle : rateOfTrunk();
    }
    /// Rate in bytes per cycle of all DRAM buses together.
    [[nodiscard]] std::int64_t dramBytesPerCycle() const noexcept
    {
        return dram.channels * dram.bytesPerCycle;
    }
};

/// Returns an Error that names the first field that is out of range or not a power of two.
[[nodiscard]] Status checkHardware(const NpuHardware& hardware);

/// Channel, bank and row of a DRAM address (docs/rules/npu.md 2.5).
struct DramPlace
{
    int channel = 0;
    int bank = 0;
    std::int64_t row = 0;
    bool operator==(const DramPlace&) const = default;
};
[[nodiscard]] DramPlace placeOf(const DramHardware& dram, std::int64_t address) noexcept;

/// The channel of an interleave block.
[[nodiscard]] std::int64_t channelOf(const DramHardware& dram, std::int64_t block) noexcept;

/// Permutes the channel or bank `index` of `count` by the higher bits of the address (`above`). If `count` is
/// a power of two, `index` is combined by exclusive-or with groups of these bits, each as wide as `index`;
/// else the groups are added modulo `count`.
[[nodiscard]] inline std::int64_t permuted(std::int64_t index, std::int64_t count,
                                           std::int64_t above) noexcept
{
    const int bits = std::bit_width(static_cast<std::uint64_t>(count - 1));
    if (bits == 0)
        return index;
    std::int64_t folded = 0;
    for (; above > 0; above >>= bits)
        folded ^= above & ((std::int64_t{1} << bits) - 1);
    return std::has_single_bit(static_cast<std::uint64_t>(count)) ? index ^ folded : (index + folded) % count;
}

/// Reads a hardware preset. Missing fields keep their defaults; unknown fields are errors. The fields are
/// those of NpuHardware in snake_case, with "passes", "dram" and "noc" as objects (see
/// tests/data/npu_hardware/default.json).
[[nodiscard]] Result<NpuHardware> parseHardware(std::string_view text, const std::string& file);
[[nodiscard]] Result<NpuHardware> loadHardware(const std::string& path);
[[nodiscard]] std::string hardwareToJson(const NpuHardware& hardware);

} // namespace tilewright::npu
