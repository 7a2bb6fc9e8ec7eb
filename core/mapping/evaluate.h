// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

#include <array>
#include <optional>
#include <string>

namespace tilewright::mapping {

/// Why a method is invalid, in the order in which they are reported (docs/rules/mapping.md 2).
enum class ViolationCode { Tiling, Pes, Rf, Spm };

[[nodiscard]] std::string_view violationName(ViolationCode code);

struct Violation
{
    ViolationCode code = ViolationCode::Tiling;
    int loop = -1; ///< for Tiling
    std::string message;

    bool operator==(const Violation&) const = default;
};

/// pJ by component (docs/rules/mapping.md 5).
struct EnergyParts
{
    double mac = 0;
    double rf = 0;
    double noc = 0;
    double spm = 0;
    double dram = 0;
    double leakage = 0; ///< of the whole layer; 0 unless the architecture has it

    [[nodiscard]] double total() const noexcept { return mac + rf + noc + spm + dram + leakage; }
    bool operator==(const EnergyParts&) const = default;
};

/// Where the cycles of the layer go; the five add up to `Evaluation::cycles`. Compute is what the busy PEs
/// need anyway, the others are what is not hidden behind it.
struct CycleParts
{
    std::int64_t compute = 0;
    std::int64_t distribution = 0; ///< operands to the PEs over their networks
    std::int64_t reduction = 0;    ///< adding partial results across PEs
    std::int64_t drain = 0;        ///< the pass that a finished result waits for before it leaves
    std::int64_t dma = 0;

    [[nodiscard]] std::int64_t total() const noexcept
    {
        return compute + distribution + reduction + drain + dma;
    }
    /// The parts of so many like these.
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

/// An SPM tile in which the operand reused at DRAM changes (docs/rules/mapping.md 4, "The layer"); cycles.
struct DramChange
{
    std::int64_t every = 0; ///< DMA of the operands that move in every tile
    std::int64_t own = 0;   ///< DMA of the reused one
    std::int64_t pass = 0;  ///< of the array over this tile
    bool written = false;   ///< the reused operand is the written one
    bool kept = false;      ///< and stays in the register files; then, of the first array pass:
    std::int64_t computing = 0;
    std::int64_t reducing = 0;
    std::int64_t excess = 0; ///< of its network over the others'

    /// What every tile takes, whether the operand changes or not.
    [[nodiscard]] std::int64_t base() const noexcept { return every > pass ? every : pass; }
};

/// What a change takes beyond the base.
[[nodiscard]] CycleParts exposed(const DramChange& change) noexcept;

/// Everything about one operand; sizes in elements.
struct OperandReport
{
    std::int64_t dataRf = 0;
    std::int64_t dataArray = 0; ///< also its distribution cycles: one element a cycle
    std::int64_t dataSpm = 0;
    std::int64_t spmBanks = 0;
    std::int64_t reuseSpm = 1;
    std::int64_t reuseDram = 1;
    bool kept = false; ///< stays in the register files across SPM passes
    std::int64_t bursts = 0;
    std::int64_t burstElements = 0;
    std::int64_t dmaCycles = 0; ///< of one SPM tile
    /// Cycles that its own network and its DMA are busy over the whole layer, whatever hides them.
    std::int64_t networkCycles = 0;
    std::int64_t dmaBusyCycles = 0;
    /// Its share of the energy. The 4 register file accesses of a MAC count 1 for each read operand and 2
    /// for the written one; multiply-accumulates belong to no operand except those of the reduction.
    EnergyParts energy;
};

/// One method with every component of docs/rules/mapping.md 2 to 5. An invalid method keeps its numbers,
/// except when the factors do not multiply to the trip counts (`hasNumbers` is false).
struct MappingCost
{
    std::optional<Violation> violation; ///< the first in the order of ViolationCode
    bool hasNumbers = false;
    std::array<OperandReport, kOperands> operands{};
    std::int64_t pesUsed = 0;
    std::int64_t rfElementsUsed = 0;
    std::int64_t spmBanksUsed = 0;
    std::int64_t spmPasses = 0; ///< P_DRAM
    std::int64_t rfPasses = 0;  ///< P_SPM
    std::int64_t rfPassCycles = 0;
    std::int64_t reductionCycles = 0;
    std::int64_t spmPassCycles = 0;
    std::int64_t cycles = 0;
    CycleParts cycleParts;
    EnergyParts energyParts;
    double energy = 0; ///< pJ
    double edp = 0;    ///< pJ * cycles
    // Whole-layer counts; with imperfect factors the last ones are smaller (docs/rules/mapping.md 9).
    double spmTiles = 0;
    double arrayPasses = 0;
    double peTiles = 0; ///< register file tiles over all PEs and passes

    [[nodiscard]] bool valid() const noexcept { return hasNumbers && !violation; }
};

/// The explaining form of the cost model. Pre-condition: checkCountable(nest, architecture).
[[nodiscard]] MappingCost evaluate(const LoopNest& nest, const Architecture& architecture,
                                   const Method& method);

/// Only the validity check; cheap enough for every move of a drag.
[[nodiscard]] std::optional<Violation> checkMethod(const LoopNest& nest, const Architecture& architecture,
                                                   const Method& method);

} // namespace tilewright::mapping
