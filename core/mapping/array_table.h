// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/constraints.h"
#include "mapping/cost_kernel.h"
#include "mapping/lattice.h"

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace tilewright::mapping {

/// Ways to make the space smaller: the reference project's, and factors that a person asks for. All off when
/// the whole space is searched (docs/rules/mapping.md 7).
struct Reductions
{
    double minPeUse = 0;  ///< share of the PEs, 0..1
    double minRfUse = 0;  ///< share of a register file's elements
    double minSpmUse = 0; ///< share of the scratchpad's bytes
    bool noSpatialReduction = false;
    bool noFilterLoopsAtDram = false;
    Constraints constraints;

    [[nodiscard]] bool any() const noexcept { return *this != Reductions{}; }
    bool operator==(const Reductions&) const = default;
};

/// The SPM limit of docs/rules/mapping.md 2 for a tile of these extents.
[[nodiscard]] bool fitsScratchpad(const Lattice& lattice, const Architecture& architecture,
                                  Lattice::Index tile) noexcept;

/// A split of array extents into RF and SPATIAL factors.
struct Split
{
    ArrayTerms terms;
    Lattice::Index spatial = 0;
};

/// What all splits of one array (extents RF x SPATIAL) have in common, and the least of each term.
struct ArraySummary
{
    std::int64_t feasible = 0; ///< splits that fit PEs and register files
    std::int64_t comp = std::numeric_limits<std::int64_t>::max();
    std::int64_t reduced = std::numeric_limits<std::int64_t>::max(); ///< PEs of one partial result
    std::int64_t compRed = std::numeric_limits<std::int64_t>::max(); ///< least sum of computing and reducing
    std::int64_t sent0 = std::numeric_limits<std::int64_t>::max(); ///< network elements of the first operand
    std::int64_t sent1 = std::numeric_limits<std::int64_t>::max();
};

/// All arrays of a layer: how many splits fit, bounds on them, and, on demand, the splits themselves.
/// Given the extents, all costs grow with four numbers only (RF pass cycles, reduction, and the network
/// transfers of the two read operands), whatever the SPM and DRAM levels do; so splits that are no better
/// in any of the four than another one are left out.
class ArrayTable
{
public:
    /// `cancelled` is asked now and then; the table is incomplete when it says yes. Keeps references.
    ArrayTable(const Lattice& lattice, const Architecture& architecture, const Reductions& reductions,
               const std::function<bool()>& cancelled);
    ~ArrayTable();
    ArrayTable(const ArrayTable&) = delete;
    ArrayTable& operator=(const ArrayTable&) = delete;

    [[nodiscard]] bool complete() const noexcept { return m_complete; }
    /// `feasible` is 0 for arrays larger than the scratchpad: no tile holds them.
    [[nodiscard]] const ArraySummary& summary(Lattice::Index extents) const noexcept
    {
        return m_summaries[extents];
    }
    /// The least of each term over all splits: a bound on all of them at once.
    [[nodiscard]] ArrayTerms ideal(Lattice::Index extents) const noexcept;
    /// The splits that are not dominated; made when first asked for. Thread-safe.
    [[nodiscard]] const std::vector<Split>& splits(Lattice::Index extents) const;

private:
    struct Half ///< SPATIAL or RF factors that fit on their own
    {
        Lattice::Index index = 0;
        std::uint64_t packed = 0; ///< exponents, one bit field per axis
        std::int64_t product = 1;
        std::int64_t value0 = 0; ///< SPATIAL: PEs per partial result; RF: elements of the first operand
        std::int64_t value1 = 0; ///< RF: elements of the second
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
    std::vector<bool> m_isRf; ///< per point: fits a register file (and its minimum use)
    std::uint64_t m_limits = 0;
    std::uint64_t m_guards = 0;
    std::vector<ArraySummary> m_summaries;
    mutable std::vector<std::atomic<std::vector<Split>*>> m_splits;
    bool m_complete = false;
};

} // namespace tilewright::mapping
