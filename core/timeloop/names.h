// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/layer.h"

#include <array>
#include <string_view>

namespace tilewright::timeloop {

/// Name of a loop in Timeloop: one letter per dimension, as its mapping grammar requires.
[[nodiscard]] inline std::string_view dimensionOf(const mapping::LoopNest& nest, int loop)
{
    constexpr std::array<std::string_view, mapping::kMaxLoops> kConv{"N", "M", "C", "P", "Q", "R", "S"};
    constexpr std::array<std::string_view, 3> kGemm{"M", "N", "K"};
    const auto l = static_cast<std::size_t>(loop);
    return nest.kind == mapping::LayerKind::Gemm ? kGemm[l] : kConv[l];
}

/// Name of an operand (data space) in Timeloop.
[[nodiscard]] inline std::string_view dataSpaceOf(const mapping::LoopNest& nest, int operand)
{
    constexpr std::array<std::string_view, mapping::kOperands> kConv{"Inputs", "Weights", "Outputs"};
    constexpr std::array<std::string_view, mapping::kOperands> kGemm{"A", "B", "C"};
    const auto op = static_cast<std::size_t>(operand);
    return nest.kind == mapping::LayerKind::Gemm ? kGemm[op] : kConv[op];
}

} // namespace tilewright::timeloop
