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
    // Energies that the base model does not have (docs/rules/mapping.md 10.4).
    std::optional<double> rfWrite = std::nullopt, spmWrite = std::nullopt,
                          /// Write energies; nullopt: a write costs as much as a read.
        dramWrite = std::nullopt;
    double rfFill = 0;  ///< energy to write an element from the network into a register file
    double spmFill = 0; ///< energy to write an element from DRAM into the scratchpad
    double leakage = 0; ///< leakage energy of the array per cycle

    [[nodiscard]] double writeRf() const noexcept { return rfWrite.value_or(rf); }
    [[nodiscard]] double writeSpm() const noexcept { return spmWrite.value_or(spm); }
    [[nodiscard]] double writeDram() const noexcept { return dramWrite.value_or(dram); }
    /// Register file energy of one multiply-accumulate: three reads and one write.
    [[nodiscard]] double rfOfMac() const noexcept { return 3 * rf + writeRf(); }
    /// Energy of adding one partial result that comes from another PE.
    [[nodiscard]] double reduction() const noexcept { return 2 * rf + writeRf() + noc + mac; }
    bool operator==(const EnergyTable&) const = default;
};

/// Extensions of the base model, all off by default (docs/rules/mapping.md 10).
struct ModelOptions
{
    bool imperfect = false; ///< factors need not divide the trip count: the last tile of a loop is smaller
    bool reductionTree = false; ///< partial results are added pairwise instead of sequentially
    bool overlapped = false;    ///< the busiest resource determines the cycles
    /// For each operand: true if it bypasses the scratchpad, so that the array exchanges it with DRAM.
    std::array<bool, kOperands> bypassSpm{};

    [[nodiscard]] bool bypasses() const noexcept { return bypassSpm[0] || bypassSpm[1] || bypassSpm[2]; }
    bool operator==(const ModelOptions&) const = default;
};

/// The accelerator and its default values (docs/rules/mapping.md 2).
struct Architecture
{
    std::string name = "default";
    std::int64_t pes = 256;
    std::int64_t rfBytes = 512; ///< size of the register file of one PE
    std::int64_t spmBanks = 32; ///< number of banks in one half of the double buffer
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

/// Checks all fields. Returns an Error with the path of the first one that is out of range.
[[nodiscard]] Status checkArchitecture(const Architecture& architecture);

/// Returns an Error if the cycles of the layer's worst method could overflow 64 bits.
[[nodiscard]] Status checkCountable(const LoopNest& nest, const Architecture& architecture);

/// Array cycles of one DMA burst: ceil((init + per byte * bytes) * array MHz / DMA MHz). Computed in exact
/// integers, with the decimals of the file rounded to a millionth, because a double could exceed a whole
/// number slightly and be rounded up.
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
    /// Largest number of elements of a burst for which 64-bit arithmetic is exact.
    std::int64_t m_narrowLimit = 0;
};

} // namespace tilewright::mapping
