// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"
#include "stablehlo/tokens.h"

#include <span>

namespace tilewright::stablehlo {

/// A type of MLIR: a tensor, or a type that no operator of a model reads (a token, a tuple).
struct Type
{
    bool isTensor = false;
    model::Shape shape;
    int bytes = 0;         ///< bytes of an element, as model::Tensor::elementBytes
    std::int64_t bits = 0; ///< bits of an element, as model::Tensor::bits
    bool operator==(const Type&) const = default;

    /// True for a tensor with a size of 0.
    [[nodiscard]] bool isEmpty() const noexcept { return isTensor && model::elementsOf(shape) == 0; }
    [[nodiscard]] std::int64_t allBytes() const noexcept;
};

/// Reads the type that begins at `at`, and sets `at` to the token after it. Returns an Error for dynamic
/// sizes, more than model::kMaxRank dimensions and sizes above kMaxDimension.
[[nodiscard]] Result<Type> typeAt(std::span<const Token> tokens, std::size_t& at);

} // namespace tilewright::stablehlo
