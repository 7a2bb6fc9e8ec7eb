// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of the arrays below an SPM tile, and lower bounds over all of them.
#pragma once

#include "mapping/cost_kernel.h"
#include "mapping/factors.h"
#include "mapping/method.h"

#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace tilewright::mapping {

/// Reductions of the search space: those of the project dMazeRunner (docs/rules/mapping.md), and factors set
/// by the user. A full search uses none (docs/rules/mapping.md 7).
struct Reductions
{
    double minPeUse = 0;  ///< least share of PEs in use, 0..1
    double minRfUse = 0;  ///< least share of register file elements in use
    double minSpmUse = 0; ///< least share of scratchpad bytes in use
    bool noSpatialReduction = false;
    bool noFilterLoopsAtDram = false;
    Constraints constraints;

    [[nodiscard]] bool any() const noexcept { return *this != Reductions{}; }
    bool operator==(const Reductions&) const = default;
};

/// True if a tile of these extents fits into the scratchpad (docs/rules/mapping.md 2).
[[nodiscard]] bool fitsScratchpad(const Lattice& lattice, const Architecture& architecture,
                                  Lattice::Index tile) noexcept;

/// One split of the extents of an array into RF and SPATIAL factors.
struct Split
{
    ArrayTerms terms;
    Lattice::Index spatial = 0;
};

/// Number of feasible splits of one array (extents RF x SPATIAL), and the minimum of each cost term over
/// these splits.
struct ArraySummary
{
    std::int64_t feasible = 0; ///< number of splits that fit the PEs and register files
    std::int64_t comp = std::numeric_limits<std::int64_t>::max();
    /// Number of PEs whose partial results are added for one result.
    std::int64_t reduced = std::numeric_limits<std::int64_t>::max();
    /// Minimum of the sum of compute and reduction cycles.
    std::int64_t compRed = std::numeric_limits<std::int64_t>::max();
    /// Elements of the first read operand on the network.
    std::int64_t sent0 = std::numeric_limits<std::int64_t>::max();
    std::int64_t sent1 = std::numeric_limits<std::int64_t>::max();
};

/// Per array of a layer: the number of feasible splits, bounds on their costs and, on demand, the splits. For
/// given extents of the array, costs depend on the split only by four numbers: cycles of an RF pass,
/// reduction cycles, and the network transfers of both read operands. They increase with each of these for
/// any SPM and DRAM factors, so splits that are dominated in the four numbers are omitted.
class ArrayTable
{
public:
    /// Calls `cancelled` from time to time; after it returns true, the table is incomplete. Keeps references
    /// to the arguments.
    ArrayTable(const Lattice& lattice, const Architecture& architecture, const Reductions& reductions,
               const std::function<bool()>& cancelled);
    ~ArrayTable();
    ArrayTable(const ArrayTable&) = delete;
    ArrayTable& operator=(const ArrayTable&) = delete;

    [[nodiscard]] bool complete() const noexcept { return m_complete; }
    /// Summary of an array. `feasible` is 0 if the array is larger than the scratchpad.
    [[nodiscard]] const ArraySummary& summary(Lattice::Index extents) const noexcept
    {
        return m_summaries[extents];
    }
    /// The minimum of each term over all splits: a lower bound for every split.
    [[nodiscard]] ArrayTerms ideal(Lattice::Index extents) const noexcept;
    /// The splits that are not dominated, computed on first use. Thread-safe.
    [[nodiscard]] const std::vector<Split>& splits(Lattice::Index extents) const;

private:
    struct Half ///< One half of a split: SPATIAL or RF factors that meet their limits without the other half.
    {
        Lattice::Index index = 0;
        std::uint64_t packed = 0; ///< exponents, one bit field per axis
        std::int64_t product = 1;
        /// SPATIAL: number of PEs per partial result; RF: elements of the first operand.
        std::int64_t value0 = 0;
        std::int64_t value1 = 0; ///< RF: elements of the second operand
    };
    void listHalves();
    void summarise(const std::function<bool()>& cancelled);
    [[nodiscard]] ArrayTerms terms(Lattice::Index extents, std::int64_t comp, std::int64_t reduced,
                                   std::int64_t sent0, std::int64_t sent1) const noexcept;
    [[nodiscard]] std::unique_ptr<std::vector<Split>> makeSplits(Lattice::Index extents) const;

    const Lattice& m_lattice;
    const Architecture& m_architecture;
    const Reductions& m_reductions;
    std::vector<Half> m_spatial;
    std::vector<Half> m_rf;
    /// Per point of m_lattice (a tile): true if it fits into a register file and uses the required share of
    /// it.
    std::vector<bool> m_isRf;
    std::uint64_t m_limits = 0;
    std::uint64_t m_guards = 0;
    std::vector<ArraySummary> m_summaries;
    mutable std::vector<std::atomic<std::vector<Split>*>> m_splits;
    bool m_complete = false;
};

/// Lower bounds over all arrays below an SPM tile, computed for all tiles at once. The bounds of energy and
/// cycles may come from different arrays, so that no method need have both.
class TileBounds
{
public:
    /// Keeps a reference to the lattice. `table` must be complete.
    TileBounds(const LoopNest& nest, const Architecture& architecture, const Lattice& lattice,
               const ArrayTable& table);

    /// Lower bound on the cost of the layer with this tile if `spmOperand` is the operand reused at SPM. The
    /// minimum over the three operands also bounds methods without reuse at SPM.
    [[nodiscard]] Cost cost(Lattice::Index tile, const DramTerms& dram, int spmOperand) const noexcept;

    /// Number of tilings with this SPM tile that fit the PEs and register files.
    [[nodiscard]] std::int64_t validBelow(Lattice::Index tile) const noexcept { return m_validBelow[tile]; }

private:
    const Lattice& m_lattice;
    double m_macs = 0;
    double m_fixedPj = 0;
    std::array<double, kOperands> m_keptPj{}; ///< least energy per element sent to the array
    bool m_overlapped = false;
    // Indexed by the operand reused at SPM, then by the point of m_lattice that is the SPM tile:
    std::array<std::vector<double>, kOperands> m_pass;   ///< cycles of an SPM pass per MAC of the tile
    std::array<std::vector<double>, kOperands> m_others; ///< pJ per MAC of the other operands
    /// PJ per MAC of the reused operand, multiplied by its reuse.
    std::array<std::vector<double>, kOperands> m_reused;
    std::vector<std::int64_t> m_validBelow;
};

} // namespace tilewright::mapping
