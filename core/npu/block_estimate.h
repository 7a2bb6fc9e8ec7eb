// SPDX-License-Identifier: GPL-3.0-or-later
// Estimate of the time of a product that is cut into blocks (docs/rules/npu.md 2.6).
#pragma once

#include "npu/graph.h"

namespace tilewright::npu {

/// DRAM cost of moving a tile.
struct TileMove
{
    double bytes = 0; ///< bytes of its bursts
    double alone = 0; ///< cycles if no other tile moves; at least those of the tile's busiest bank or bus
    double again = 0; ///< cycles as `alone`, if the DRAM rows of the tile are already open
    double banks = 0; ///< cycles of all banks together
};
/// Returns what moving a tile of the tensor costs. A tile of many runs is judged by its first ones.
[[nodiscard]] TileMove moveOf(const DramHardware& dram, const NpuTensor& tensor, const TileDesc& tile);

/// Blocks of a result, row by row. A row reads one block of the outer operand, a column one of the inner; the
/// operands of a block come in `parts` tiles, one node after the other.
struct BlockGrid
{
    std::int64_t rows = 1, cols = 1;
    std::int64_t parts = 1;
    bool innerOfRow = false; ///< each row has an inner operand of its own
    double tensorCycles = 0; ///< cycles of all nodes together
    TileMove outer, inner, result;
    /// The inner operands and the results of the columns that the cores compute at the same time.
    TileMove innerAtOnce, resultAtOnce;
    double outerBytes = 0, innerBytes = 0, resultBytes = 0; ///< SPM bytes of one tile

    /// Number of columns of which blocks are computed at the same time.
    [[nodiscard]] std::int64_t columnsAtOnce(std::int64_t cores) const noexcept
    {
        return cores < cols ? cores : cols;
    }
    [[nodiscard]] std::int64_t nodes() const noexcept { return rows * cols * parts; }
};
/// Estimated cycles of a run of these blocks alone on the hardware.
[[nodiscard]] double estimatedCycles(const NpuHardware& hardware, const BlockGrid& grid) noexcept;

} // namespace tilewright::npu
