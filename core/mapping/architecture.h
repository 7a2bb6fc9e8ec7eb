// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/layer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::mapping {

/// Energies in pJ per element moved, or per multiply-accumulate.
struct EnergyTable
{
    double rf = 0.96;
    double noc = 2.0;
    double spm = 13.5;
    double dram = 200.0;
    double mac = 0.075;
    // Beyond the base model (docs/rules/mapping.md 10.4).
    std::optional<double> rfWrite = std::nullopt, spmWrite = std::nullopt,
                          dramWrite = std::nullopt; ///< without one, a write costs what a read does
    double rfFill = 0;  ///< writing an element that arrives over the network into a register file
    double spmFill = 0; ///< writing an element that arrives from DRAM into the scratchpad
    double leakage = 0; ///< per cycle of the array clock

    [[nodiscard]] double writeRf() const noexcept { return rfWrite.value_or(rf); }
    [[nodiscard]] double writeSpm() const noexcept { return spmWrite.value_or(spm); }
    [[nodiscard]] double writeDram() const noexcept { return dramWrite.value_or(dram); }
    /// Register file accesses of one multiply-accumulate: three reads, one write.
    [[nodiscard]] double rfOfMac() const noexcept { return 3 * rf + writeRf(); }
    /// One addition of a partial result that came from another PE.
    [[nodiscard]] double reduction() const noexcept { return 2 * rf + writeRf() + noc + mac; }
    bool operator==(const EnergyTable&) const = default;
};

/// What the base model leaves out, all off (docs/rules/mapping.md 10).
struct ModelOptions
{
    bool imperfect = false;     ///< factors need not divide: the last tile of a loop is smaller
    bool reductionTree = false; ///< partial results are added pairwise instead of one after the other
    bool overlapped = false;    ///< cycles are those of the busiest resource
    /// Operands that skip the scratchpad: DRAM feeds the array.
    std::array<bool, kOperands> bypassSpm{};

    [[nodiscard]] bool bypasses() const noexcept { return bypassSpm[0] || bypassSpm[1] || bypassSpm[2]; }
    bool operator==(const ModelOptions&) const = default;
};

/// The accelerator (docs/rules/mapping.md 2); the defaults are those of that section.
struct Architecture
{
    std::string name = "default";
    std::int64_t pes = 256;
    std::int64_t rfBytes = 512; ///< register file of one PE
    std::int64_t spmBanks = 32; ///< one half of the double buffer
    std::int64_t spmBankBytes = 2048;
    std::int64_t elementBytes = 2;
    double dmaInitCycles = 291;
    double dmaCyclesPerByte = 0.24;
    double dmaMhz = 3200;
    double arrayMhz = 500;
    EnergyTable energyPj;
    ModelOptions options;

    [[nodiscard]] std::int64_t rfElements() const noexcept { return rfBytes / elementBytes; }
    [[nodiscard]] std::int64_t spmElements() const noexcept { return spmBanks * spmBankBytes / elementBytes; }
    bool operator==(const Architecture&) const = default;
};

/// An Error whose path is the offending field unless every number is in its range.
[[nodiscard]] Status checkArchitecture(const Architecture& architecture);

/// An Error when the worst method of this layer could overflow 64-bit cycles.
[[nodiscard]] Status checkCountable(const LoopNest& nest, const Architecture& architecture);

/// Array cycles of one DMA burst: ceil((init + per byte * bytes) * array MHz / DMA MHz), computed in
/// exact integers (the decimals of the file are taken to a millionth), because a double can round a whole
/// number up to the next one.
class DmaClock
{
public:
    explicit DmaClock(const Architecture& architecture);
    [[nodiscard]] std::int64_t cycles(std::int64_t burstElements) const noexcept;

private:
    // cycles = ceil((m_start + m_perElement * elements) / m_divisor)
    __extension__ typedef __int128 Wide;
    Wide m_start = 0;
    Wide m_perElement = 0;
    Wide m_divisor = 1;
    std::int64_t m_narrowLimit = 0; ///< bursts up to this size need only 64 bits
};

} // namespace tilewright::mapping
