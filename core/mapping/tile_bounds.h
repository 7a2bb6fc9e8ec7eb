// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/array_table.h"

#include <array>
#include <vector>

namespace tilewright::mapping {

/// Lower bounds that hold for every array below an SPM tile, combined over the tile's divisors once for
/// all tiles. Energy and cycles may come from different arrays, so both are bounds, not one method.
class TileBounds
{
public:
    /// Keeps references to the lattice; `table` must be complete.
    TileBounds(const LoopNest& nest, const Architecture& architecture, const Lattice& lattice,
               const ArrayTable& table);

    /// A bound on the layer's cost with this tile when `spmOperand` is reused most at SPM; the least over the
    /// three operands also bounds the methods without any reuse there.
    [[nodiscard]] Cost cost(Lattice::Index tile, const DramTerms& dram, int spmOperand) const noexcept;

    /// Tilings with this SPM tile that fit PEs and register files.
    [[nodiscard]] std::int64_t validBelow(Lattice::Index tile) const noexcept { return m_validBelow[tile]; }

private:
    const Lattice& m_lattice;
    double m_macs = 0;
    double m_fixedPj = 0;
    std::array<double, kOperands> m_keptPj{}; ///< least energy of one element sent to the array
    bool m_overlapped = false;
    // Per point, by the operand reused at SPM:
    std::array<std::vector<double>, kOperands> m_pass;   ///< cycles of an SPM pass per MAC of the tile
    std::array<std::vector<double>, kOperands> m_others; ///< pJ per MAC of the other operands
    std::array<std::vector<double>, kOperands> m_reused; ///< pJ per MAC of its own, times its reuse
    std::vector<std::int64_t> m_validBelow;
};

} // namespace tilewright::mapping
