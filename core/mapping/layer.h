// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::mapping {

inline constexpr int kMaxLoops = 7;
inline constexpr int kOperands = 3;
inline constexpr int kWritten = 2; ///< index of the operand that is read and written (O or C)

/// Names of the operands: in a convolution, and in a matrix product.
inline constexpr std::array<std::array<std::string_view, 2>, kOperands> kOperandNames{
    {{"I", "A"}, {"W", "B"}, {"O", "C"}}};
/// Index of the operand with this name in a convolution or a product; -1 if there is none.
[[nodiscard]] int operandByName(std::string_view name) noexcept;

/// Names of the loops in their order (docs/rules/mapping.md 1).
inline constexpr std::array<std::string_view, kMaxLoops> kConvLoops{"N", "M", "C", "Ox", "Oy", "Fx", "Fy"};
inline constexpr std::array<std::string_view, 3> kGemmLoops{"X", "Y", "K"};

/// One factor, extent or trip count per loop. Unused loops (gemm) have 1.
using Factors = std::array<std::int64_t, kMaxLoops>;

enum class LayerKind { Conv, DwConv, Gemm };

[[nodiscard]] std::string_view kindName(LayerKind kind);

/// A layer as in a layer file (docs/rules/mapping.md 8). `m`, `n`, `k` are for gemm, the other sizes for
/// convolutions. Sizes are in elements; `height` and `width` exclude padding.
struct Layer
{
    std::string name;
    LayerKind kind = LayerKind::Conv;
    std::int64_t batch = 1;
    std::int64_t inChannels = 1;
    std::int64_t outChannels = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::array<std::int64_t, 2> kernel{1, 1};
    std::array<std::int64_t, 2> stride{1, 1};
    std::array<std::int64_t, 2> dilation{1, 1};
    std::int64_t padding = 0;
    std::int64_t groups = 1; ///< conv: number of channel groups, computed one after the other
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    std::int64_t count = 1; ///< number of occurrences in the model

    /// Number of times that the layer's loop nest runs in the model.
    [[nodiscard]] std::int64_t runs() const noexcept { return count * groups; }

    bool operator==(const Layer&) const = default;
};

/// A named list of layers.
struct Model
{
    std::string name;
    std::vector<Layer> layers;

    bool operator==(const Model&) const = default;
};

/// One stored dimension of an operand. It is indexed by `loop`, or by a sliding window of `loop` and
/// `filterLoop`.
struct Dimension
{
    int loop = 0;
    int filterLoop = -1;
    std::int64_t stored = 1; ///< size in memory in elements; for an input, with padding
    std::int64_t stride = 1, dilation = 1;
};

/// An operand. Its dimensions are in storage order, outermost first (docs/rules/mapping.md 1 and 4).
struct Operand
{
    std::string_view name;
    int dimensionCount = 0;
    std::array<Dimension, 4> dimensions{};
    unsigned indexMask = 0; ///< bit l is set if loop l of the nest indexes the operand
    unsigned freeMask = 0;  ///< bits of the other loops of the layer
};

/// The loop nest of a layer, the input of the cost model (docs/rules/mapping.md 1).
struct LoopNest
{
    LayerKind kind = LayerKind::Conv;
    int loopCount = kMaxLoops;
    std::array<std::string_view, kMaxLoops> loopNames{};
    Factors trips{1, 1, 1, 1, 1, 1, 1};
    std::array<Operand, kOperands> operands{};
    std::int64_t macs = 1;
    /// Bits of the loops that index every operand; an innermost loop of these gives no reuse.
    unsigned neutralMask = 0;

    /// Number of elements along dimension `d` that a tile of these extents covers.
    [[nodiscard]] std::int64_t span(const Dimension& d, const Factors& extents) const noexcept
    {
        const std::int64_t e = extents[static_cast<std::size_t>(d.loop)];
        if (d.filterLoop < 0)
            return e;
        return (e - 1) * d.stride + (extents[static_cast<std::size_t>(d.filterLoop)] - 1) * d.dilation + 1;
    }
    /// Number of elements of operand `op` in a tile of these extents (docs/rules/mapping.md 1).
    [[nodiscard]] std::int64_t elements(int op, const Factors& extents) const noexcept
    {
        const Operand& operand = operands[static_cast<std::size_t>(op)];
        std::int64_t out = 1;
        for (int i = 0; i < operand.dimensionCount; ++i)
            out *= span(operand.dimensions[static_cast<std::size_t>(i)], extents);
        return out;
    }
    /// Index of the loop with this name; -1 if there is none.
    [[nodiscard]] int loopByName(std::string_view name) const noexcept;
};

/// The loop nest of a layer, or of one of its groups. Returns an Error with the path of the field if a size
/// is not positive, the kernel is larger than the padded input, or the layer exceeds 64-bit counts.
[[nodiscard]] Result<LoopNest> makeNest(const Layer& layer);

/// One-line description, for example "3x3 64->64, 56x56, stride 1".
[[nodiscard]] std::string describe(const Layer& layer);

} // namespace tilewright::mapping
