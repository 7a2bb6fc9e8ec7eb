// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::npu {

using Cycle = std::int64_t;

/// Most cores of a machine: keeps the exact NoC shares inside 128-bit integers.
inline constexpr int kMaxCores = 16;
inline constexpr int kMaxChannels = 64;
inline constexpr int kMaxBanks = 64;

enum class Arbiter {
    OldestFirst,
    DramAware, ///< row hits, then other banks, then other heads, then oldest (docs/rules/npu.md 5.3)
};

/// DRAM of docs/rules/npu.md 2.5 and 5.3; sizes in bytes, times in cycles.
struct DramHardware
{
    int channels = 4;
    int banks = 16;                  ///< of one channel
    std::int64_t bytesPerCycle = 16; ///< of one channel's data bus
    std::int64_t burstBytes = 64;
    std::int64_t interleaveBytes = 256;
    std::int64_t rowBytes = 2048;
    Cycle rowHitCycles = 20;
    Cycle rowMissCycles = 60;
    Arbiter arbiter = Arbiter::DramAware;
    bool operator==(const DramHardware&) const = default;

    /// Cycles the channel's data bus is held by one burst.
    [[nodiscard]] Cycle busCyclesPerBurst() const noexcept
    {
        return (burstBytes + bytesPerCycle - 1) / bytesPerCycle;
    }
};

/// Passes of the vector engine over its elements (docs/rules/npu.md 3).
struct VectorPasses
{
    int softmax = 4;
    int layerNorm = 3;
    int rmsNorm = 2;
    int elementwise = 1;
    bool operator==(const VectorPasses&) const = default;
};

/// The machine; the defaults are those of docs/rules/npu.md 8.
/// pJ of an element moved, or of one multiply-accumulate; one lane of the vector engine counts as one.
struct NpuEnergy
{
    double mac = 0.075;
    double spm = 13.5;
    double noc = 2.0;
    double dram = 200.0;
    bool operator==(const NpuEnergy&) const = default;
};

struct NpuHardware
{
    std::string name = "default";
    int cores = 4;
    std::int64_t engineRows = 64;
    std::int64_t engineCols = 64;
    std::int64_t vectorLanes = 128;
    double clockGhz = 1.0;
    std::int64_t spmBytes = std::int64_t{1} << 20;
    int accumulatorBytes = 4; ///< bytes of one element while it is accumulated
    VectorPasses passes;
    DramHardware dram;
    std::int64_t linkBytesPerCycle = 32;   ///< NoC, one core's link (loads and stores together)
    std::int64_t trunkBytesPerCycle = 128; ///< NoC, shared by all cores
    NpuEnergy energy;
    bool operator==(const NpuHardware&) const = default;

    /// Bytes a cycle that one core gets when it is alone.
    [[nodiscard]] std::int64_t bandwidthAlone() const noexcept;
};

/// The Error names the first field that is out of range or not a power of two.
[[nodiscard]] Status checkHardware(const NpuHardware& hardware);

/// Where an address lies (docs/rules/npu.md 2.5).
struct DramPlace
{
    int channel = 0;
    int bank = 0;
    std::int64_t row = 0;
    bool operator==(const DramPlace&) const = default;
};
[[nodiscard]] DramPlace placeOf(const DramHardware& dram, std::int64_t address) noexcept;

/// Reads a hardware preset; missing fields keep their default, unknown ones are errors. Schema: the fields of
/// NpuHardware in snake_case, with "passes", "dram" and "noc" as objects (see
/// tests/data/npu_hardware/default.json).
[[nodiscard]] Result<NpuHardware> parseHardware(std::string_view text, const std::string& file);
[[nodiscard]] Result<NpuHardware> loadHardware(const std::string& path);
[[nodiscard]] std::string hardwareToJson(const NpuHardware& hardware);

} // namespace tilewright::npu
