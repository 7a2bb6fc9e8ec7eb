// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays without skew: dot products, and arrays with fixed loops (docs/rules/workload.md 2.1).
#pragma once

#include "base/integer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tilewright {

/// The loops of a convolution in the order of docs/rules/mapping.md 1: images, output channels, input
/// channels, rows and columns of the result, rows and columns of the kernel.
enum class ArrayLoop : std::uint8_t { N, M, C, Ox, Oy, Fx, Fy };
inline constexpr std::size_t kArrayLoops = 7;

/// The work of an array: a convolution. A product of r x q and q x c is a convolution with c outputs, q
/// channels and r rows.
struct ArrayWork
{
    /// Trip counts of one group, indexed by ArrayLoop.
    std::array<std::int64_t, kArrayLoops> trips{1, 1, 1, 1, 1, 1, 1};
    std::int64_t groups = 1;
    std::int64_t strides = 1; ///< product of the strides of rows and columns
    bool operator==(const ArrayWork&) const = default;

    [[nodiscard]] std::int64_t& of(ArrayLoop loop) noexcept { return trips[static_cast<std::size_t>(loop)]; }
    [[nodiscard]] std::int64_t of(ArrayLoop loop) const noexcept
    {
        return trips[static_cast<std::size_t>(loop)];
    }
};
[[nodiscard]] constexpr ArrayWork productWork(std::int64_t rows, std::int64_t cols,
                                              std::int64_t length) noexcept
{
    ArrayWork out;
    out.trips = {1, cols, length, rows, 1, 1, 1};
    return out;
}

struct FixedArray
{
    enum class Kind : std::uint8_t {
        DotProduct, ///< each cycle, `rows` inputs are summed for each of `cols` outputs
        Loops,      ///< each axis unrolls its own loops
    };
    Kind kind = Kind::DotProduct;
    std::int64_t rows = 1, cols = 1;
    std::int64_t rowGranule = 1, colGranule = 1; ///< DotProduct: work is padded to multiples of these
    std::int64_t arrays = 1;                     ///< number of arrays that share the outputs
    /// Loops: the fixed loop of the axis first, then loops that may fill the rest of the axis.
    std::vector<ArrayLoop> rowLoops, colLoops;
    bool operator==(const FixedArray&) const = default;
};

/// Cycles for the work, at one multiply-accumulate per processing element and cycle.
[[nodiscard]] std::int64_t arrayCycles(const FixedArray& array, const ArrayWork& work) noexcept;

} // namespace tilewright
