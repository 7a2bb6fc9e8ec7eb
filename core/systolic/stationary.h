// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

#include <algorithm>

namespace tilewright::systolic {

/// A WS or IS product in the form of WS. An IS product is transposed.
struct Stationary
{
    bool transposed = false;
    Gemm gemm;
    TileShape tile;
    std::int64_t nI = 0, nJ = 0, nK = 0;
    std::int64_t rows = 0, cols = 0; ///< number of rows (columns) of the array
    std::int64_t depth = 0;

    explicit Stationary(const Program& p)
        : transposed(p.options.dataflow == Dataflow::Is), gemm(p.options.gemm), tile(p.tile),
          rows(p.options.array.rows), cols(p.options.array.cols), depth(p.options.depth)
    {
        if (transposed) {
            std::swap(gemm.m, gemm.n);
            std::swap(tile.ti, tile.tj);
        }
        nI = ceilDiv(gemm.m, tile.ti);
        nJ = ceilDiv(gemm.n, tile.tj);
        nK = ceilDiv(gemm.k, tile.tk);
    }

    [[nodiscard]] std::int64_t tileRows(std::int64_t i) const
    {
        return std::min(tile.ti, gemm.m - i * tile.ti);
    }
    [[nodiscard]] std::int64_t tileCols(std::int64_t j) const
    {
        return std::min(tile.tj, gemm.n - j * tile.tj);
    }
    [[nodiscard]] std::int64_t tileDepth(std::int64_t k) const
    {
        return std::min(tile.tk, gemm.k - k * tile.tk);
    }
    /// Number of steps of `depth` rows in a whole tile, and number of blocks of C in it (one per step and
    /// block column).
    [[nodiscard]] std::int64_t steps() const { return ceilDiv(tile.ti, depth); }
    [[nodiscard]] std::int64_t places() const { return steps() * ceilDiv(tile.tj, cols); }
    /// Largest number of cycles during which one wave is in the array.
    [[nodiscard]] std::int64_t wave() const { return std::min(rows, tile.tk) + std::min(cols, tile.tj) - 2; }
    /// Number of tiles after which the results of a tile have left the array. The DMA works in order, so that
    /// an earlier store would delay the loads behind it.
    [[nodiscard]] std::int64_t storeLag() const
    {
        const std::int64_t streamed = tile.ti * ceilDiv(tile.tj, cols) * ceilDiv(tile.tk, rows);
        return 2 + ceilDiv(wave(), streamed);
    }
    [[nodiscard]] Pool pool(Pool of) const
    {
        if (!transposed)
            return of;
        switch (of) {
        case Pool::L3A:
            return Pool::L3B;
        case Pool::L3B:
            return Pool::L3A;
        case Pool::L2A:
            return Pool::L2B;
        case Pool::L2B:
            return Pool::L2A;
        case Pool::L1A:
            return Pool::L1B;
        default:
            return of;
        }
    }
};

} // namespace tilewright::systolic
