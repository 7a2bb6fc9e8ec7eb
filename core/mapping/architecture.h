// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/layer.h"

#include <cstdint>
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

    bool operator==(const EnergyTable&) const = default;
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
