// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/cost_kernel.h"
#include "mapping/lattice.h"

#include <atomic>
#include <functional>
#include <vector>

namespace tilewright::mapping {

/// The seed project's ways to make the space smaller; all off in proven mode (spec section 7).
struct Reductions
{
    double minPeUse = 0;  ///< share of the PEs, 0..1
    double minRfUse = 0;  ///< share of a register file's elements
    double minSpmUse = 0; ///< share of the scratchpad's bytes
    bool noSpatialReduction = false;
    bool noFilterLoopsAtDram = false;

    [[nodiscard]] bool any() const noexcept { return *this != Reductions{}; }
    bool operator==(const Reductions&) const = default;
};

/// One split of array extents into RF and SPATIAL factors that no other split of the same extents beats.
struct Split
{
    ArrayTerms terms;
    Lattice::Index spatial = 0;
};

/// For all array extents (RF x SPATIAL): the splits that fit PEs and register files and are not dominated.
/// Given the extents, all costs grow with four numbers only (RF pass cycles, reduction, and the network
/// transfers of the two read operands), whatever the SPM and DRAM levels do; a split that is no better
/// in any of them cannot be needed.
class ArrayTable
{
public:
    /// `cancelled` is asked now and then; the table is incomplete when it says yes.
    ArrayTable(const Lattice& lattice, const Architecture& architecture, const Reductions& reductions,
               int threads, const std::function<bool()>& cancelled);

    [[nodiscard]] bool complete() const noexcept { return m_complete; }
    [[nodiscard]] const Split* begin(Lattice::Index extents) const noexcept { return m_begin[extents]; }
    [[nodiscard]] std::uint32_t count(Lattice::Index extents) const noexcept { return m_count[extents]; }
    /// The best of each term over the splits: a bound on all of them at once.
    [[nodiscard]] const ArrayTerms& ideal(Lattice::Index extents) const noexcept
    {
        return m_ideals[m_idealIndex[extents]];
    }
    /// Splits that fit, dominated or not.
    [[nodiscard]] std::int64_t feasible(Lattice::Index extents) const noexcept { return m_feasible[extents]; }
    [[nodiscard]] std::size_t splits() const noexcept { return m_splits; }

private:
    std::vector<const Split*> m_begin;
    std::vector<std::uint32_t> m_count;
    std::vector<std::int64_t> m_feasible;
    std::vector<std::uint32_t> m_idealIndex;
    std::vector<ArrayTerms> m_ideals;
    std::vector<std::vector<Split>> m_storage; ///< per block of extents
    std::size_t m_splits = 0;
    bool m_complete = false;
};

} // namespace tilewright::mapping
