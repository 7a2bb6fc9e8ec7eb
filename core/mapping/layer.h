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

/// One factor, extent or trip count per loop; unused loops (gemm) hold 1.
using Factors = std::array<std::int64_t, kMaxLoops>;

enum class LayerKind { Conv, DwConv, Gemm };

[[nodiscard]] std::string_view kindName(LayerKind kind);

/// A layer as a person writes it (docs/rules/mapping.md 8). `m`, `n`, `k` belong to gemm, the rest to the
/// convolutions. Sizes are elements; `height` and `width` are without padding.
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
    std::int64_t groups = 1; ///< conv: so many of in and out channels / groups, one after the other
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    std::int64_t count = 1; ///< how often the layer occurs in its model

    /// How often its nest runs in its model.
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

/// One stored dimension of an operand: indexed by `loop`, or by a sliding window of `loop` and `filterLoop`.
struct Dimension
{
    int loop = 0;
    int filterLoop = -1;
    std::int64_t stored = 1; ///< size in memory, elements (the padded size for an input)
    std::int64_t stride = 1, dilation = 1;
};

/// An operand, its dimensions from the outermost to the innermost as stored (docs/rules/mapping.md 1 and 4).
struct Operand
{
    std::string_view name;
    int dimensionCount = 0;
    std::array<Dimension, 4> dimensions{};
    unsigned indexMask = 0; ///< bit l: loop l indexes the operand
    unsigned freeMask = 0;  ///< the other loops of the layer
};

/// What the cost model needs to know about a layer (docs/rules/mapping.md 1).
struct LoopNest
{
    LayerKind kind = LayerKind::Conv;
    int loopCount = kMaxLoops;
    std::array<std::string_view, kMaxLoops> loopNames{};
    Factors trips{1, 1, 1, 1, 1, 1, 1};
    std::array<Operand, kOperands> operands{};
    std::int64_t macs = 1;
    unsigned neutralMask = 0; ///< loops that index every operand, so innermost they give no reuse

    /// Elements that the window of `extents` spans along one dimension.
    [[nodiscard]] std::int64_t span(const Dimension& d, const Factors& extents) const noexcept
    {
        const std::int64_t e = extents[static_cast<std::size_t>(d.loop)];
        if (d.filterLoop < 0)
            return e;
        return (e - 1) * d.stride + (extents[static_cast<std::size_t>(d.filterLoop)] - 1) * d.dilation + 1;
    }
    /// Elements of operand `op` for the given extents (docs/rules/mapping.md 1).
    [[nodiscard]] std::int64_t elements(int op, const Factors& extents) const noexcept
    {
        const Operand& operand = operands[static_cast<std::size_t>(op)];
        std::int64_t out = 1;
        for (int i = 0; i < operand.dimensionCount; ++i)
            out *= span(operand.dimensions[static_cast<std::size_t>(i)], extents);
        return out;
    }
    /// The loop's index, or -1.
    [[nodiscard]] int loopByName(std::string_view name) const noexcept;
};

/// The loop nest of a layer, of one group when it has several; an Error whose path is the offending field
/// when a size is not positive, the kernel is larger than the padded input, or the layer is too large to be
/// counted in 64 bits.
[[nodiscard]] Result<LoopNest> makeNest(const Layer& layer);

/// One short line, for example "3x3 64->64, 56x56, stride 1".
[[nodiscard]] std::string describe(const Layer& layer);

} // namespace tilewright::mapping
