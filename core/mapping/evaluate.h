// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

#include <array>
#include <optional>
#include <string>

namespace tilewright::mapping {

/// Reasons for an invalid method, in the order in which they are reported (docs/rules/mapping.md 2).
enum class ViolationCode { Tiling, Pes, Rf, Spm };

[[nodiscard]] std::string_view violationName(ViolationCode code);

struct Violation
{
    ViolationCode code = ViolationCode::Tiling;
    int loop = -1; ///< ViolationCode::Tiling: index of the loop
    std::string message;

    bool operator==(const Violation&) const = default;
};

/// Energy in pJ by component (docs/rules/mapping.md 5).
struct EnergyParts
{
    double mac = 0;
    double rf = 0;
    double noc = 0;
    double spm = 0;
    double dram = 0;
    double leakage = 0; ///< leakage energy of the whole layer; 0 if the architecture has no leakage

    [[nodiscard]] double total() const noexcept { return mac + rf + noc + spm + dram + leakage; }
    bool operator==(const EnergyParts&) const = default;
};

/// Cycles of the layer by cause. The five parts add up to MappingCost::cycles. `compute` is the time in which
/// PEs compute; the other parts are the cycles that are not hidden behind it.
struct CycleParts
{
    std::int64_t compute = 0;
    std::int64_t distribution = 0; ///< sending operands to the PEs
    std::int64_t reduction = 0;    ///< adding partial results of several PEs
    std::int64_t drain = 0;        ///< the pass that a finished result waits before it leaves the array
    std::int64_t dma = 0;

    [[nodiscard]] std::int64_t total() const noexcept
    {
        return compute + distribution + reduction + drain + dma;
    }
    /// Adds `times` times the parts of `other`.
    void add(const CycleParts& other, std::int64_t times) noexcept
    {
        compute += other.compute * times;
        distribution += other.distribution * times;
        reduction += other.reduction * times;
        drain += other.drain * times;
        dma += other.dma * times;
    }
    bool operator==(const CycleParts&) const = default;
};

/// Cycles of an SPM tile in which the data of the operand reused at DRAM changes (docs/rules/mapping.md 4,
/// "The layer").
struct DramChange
{
    std::int64_t every = 0; ///< DMA cycles of the operands that move in every tile
    std::int64_t own = 0;   ///< DMA cycles of the reused operand
    std::int64_t pass = 0;  ///< array cycles of this tile
    bool written = false;   ///< true if the reused operand is the written one
    /// True if the reused operand stays in the register files. Then the three fields below describe the first
    /// array pass.
    bool kept = false;
    std::int64_t computing = 0;
    std::int64_t reducing = 0;
    std::int64_t excess = 0; ///< network cycles beyond those of the other operands

    /// Array or DMA cycles that every tile takes, whether the reused data changes or not.
    [[nodiscard]] std::int64_t base() const noexcept { return every > pass ? every : pass; }
};

/// Cycles that a change adds to base(), by cause.
[[nodiscard]] CycleParts exposed(const DramChange& change) noexcept;

/// Results of one operand; sizes in elements.
struct OperandReport
{
    std::int64_t dataRf = 0;
    std::int64_t dataArray = 0; ///< elements that the network sends, one per cycle
    std::int64_t dataSpm = 0;
    std::int64_t spmBanks = 0;
    std::int64_t reuseSpm = 1;
    std::int64_t reuseDram = 1;
    bool kept = false; ///< true if its data stays in the register files across SPM passes
    std::int64_t bursts = 0;
    std::int64_t burstElements = 0;
    std::int64_t dmaCycles = 0; ///< DMA cycles of one SPM tile
    /// Cycles of the whole layer in which the operand's network and DMA are busy, hidden or not.
    std::int64_t networkCycles = 0;
    std::int64_t dmaBusyCycles = 0;
    double dramElements = 0; ///< elements read from and written to DRAM over the whole layer
    /// Energy of the operand. Of the 4 register file accesses of a MAC, 1 counts for each read operand and 2
    /// for the written one. Multiply-accumulates belong to no operand, except those of the reduction.
    EnergyParts energy;
};

/// Evaluation of one method with all components of docs/rules/mapping.md 2 to 5. Invalid methods have
/// figures, too, unless their factors do not multiply to the trip counts (`hasNumbers` is false).
struct MappingCost
{
    std::optional<Violation> violation; ///< the first violation in the order of ViolationCode
    bool hasNumbers = false;
    std::array<OperandReport, kOperands> operands{};
    std::int64_t pesUsed = 0;
    std::int64_t rfElementsUsed = 0;
    std::int64_t spmBanksUsed = 0;
    std::int64_t spmPasses = 0; ///< P_DRAM
    std::int64_t rfPasses = 0;  ///< P_SPM of docs/rules/mapping.md 4
    std::int64_t rfPassCycles = 0;
    std::int64_t reductionCycles = 0;
    std::int64_t spmPassCycles = 0;
    std::int64_t cycles = 0;
    CycleParts cycleParts;
    EnergyParts energyParts;
    double energy = 0; ///< pJ
    double edp = 0;    ///< pJ * cycles
    // Counts over the whole layer. With imperfect factors the last tiles are smaller (docs/rules/mapping.md
    // 9).
    double spmTiles = 0;
    double arrayPasses = 0;
    double peTiles = 0; ///< number of register file tiles, over all PEs and passes

    [[nodiscard]] bool valid() const noexcept { return hasNumbers && !violation; }
};

/// Evaluates a method with all components. Precondition: checkCountable(nest, architecture).
[[nodiscard]] MappingCost evaluate(const LoopNest& nest, const Architecture& architecture,
                                   const Method& method);

/// Checks only the validity of a method. Fast enough for every mouse move of a drag.
[[nodiscard]] std::optional<Violation> checkMethod(const LoopNest& nest, const Architecture& architecture,
                                                   const Method& method);

} // namespace tilewright::mapping
