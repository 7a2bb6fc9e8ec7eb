// SPDX-License-Identifier: GPL-3.0-or-later
// Estimate of the time of a product that is cut into blocks (docs/rules/npu.md 2.6).
#pragma once

#include "npu/graph.h"

namespace tilewright::npu {

/// DRAM cost of moving a tile.
struct TileMove
{
    double bytes = 0; ///< bytes of the tile's DRAM bursts
    double alone = 0; ///< cycles if no other tile moves; at least those of the tile's busiest bank or bus
    double again = 0; ///< like `alone`, but the DRAM rows of the tile are already open
    double banks = 0; ///< busy cycles, summed over all banks
};
/// Estimates the DRAM cost of moving a tile of the tensor. The first burst groups of a large tile stand for
/// all of it.
[[nodiscard]] TileMove moveOf(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile);

/// Grid of the blocks of a result. The blocks of a row read the same block of the outer operand, the blocks
/// of a column the same block of the inner operand. Each operand of a block has `parts` tiles, one per node.
struct BlockGrid
{
    std::int64_t rows = 1, cols = 1;
    std::int64_t parts = 1;
    bool innerOfRow = false; ///< each row of blocks has its own inner operand
    double tensorCycles = 0; ///< tensor-engine cycles, summed over all nodes
    TileMove outer, inner, result;
    /// Moves of all inner operands (results) of the columns that the cores compute at the same time.
    TileMove innerAtOnce, resultAtOnce;
    double outerBytes = 0, innerBytes = 0, resultBytes = 0; ///< SPM bytes of one tile of each kind

    /// Number of columns that the cores compute at the same time.
    [[nodiscard]] std::int64_t columnsAtOnce(std::int64_t cores) const noexcept
    {
        return cores < cols ? cores : cols;
    }
    [[nodiscard]] std::int64_t nodes() const noexcept { return rows * cols * parts; }
};
/// Estimated cycles of a run in which the hardware computes only these blocks.
[[nodiscard]] double estimatedCycles(const NpuHardware& hardware, const BlockGrid& grid) noexcept;

} // namespace tilewright::npu
