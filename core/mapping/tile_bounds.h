// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/array_table.h"

#include <array>
#include <vector>

namespace tilewright::mapping {

/// Lower bounds over all arrays below an SPM tile, combined over the divisors of all tiles at once. Energy
/// and cycles may come from different arrays: they are two separate bounds, not the cost of one method.
class TileBounds
{
public:
    /// Keeps a reference to the lattice. `table` must be complete.
    TileBounds(const LoopNest& nest, const Architecture& architecture, const Lattice& lattice,
               const ArrayTable& table);

    /// Lower bound on the cost of the layer with this tile if `spmOperand` has the most reuse at SPM. The
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
    // Per point, indexed by the operand reused at SPM:
    std::array<std::vector<double>, kOperands> m_pass;   ///< cycles of an SPM pass per MAC of the tile
    std::array<std::vector<double>, kOperands> m_others; ///< pJ per MAC of the other operands
    /// PJ per MAC of the reused operand, times its reuse
    std::array<std::vector<double>, kOperands> m_reused;
    std::vector<std::int64_t> m_validBelow;
};

} // namespace tilewright::mapping
