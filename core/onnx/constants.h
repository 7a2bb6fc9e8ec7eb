// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on constants of an ONNX graph. A function returns nothing if its result is undefined or has more
// than kMaxConstantElements elements.
#pragma once

#include "model/broadcast.h"
#include "onnx/values.h"

#include <string_view>

namespace tilewright::onnx {

using OptionalConstant = std::optional<Constant>;
using model::broadcastShape;

/// True if the number of elements and every dimension are at most kMaxConstantElements.
[[nodiscard]] bool isSmall(const model::Shape& shape);
[[nodiscard]] std::vector<std::int64_t> stridesOf(const model::Shape& shape);
/// Strides for reading a constant as a larger (broadcast) shape; stride 0 repeats an element.
[[nodiscard]] std::vector<std::int64_t> broadcastStrides(const model::Shape& from, const model::Shape& to);
/// Copies the elements at offset + index * strides, for every index of `shape`.
[[nodiscard]] OptionalConstant copyElements(const Constant& from, model::Shape shape, std::int64_t offset,
                                            const std::vector<std::int64_t>& strides);

/// Returns a + b, a - b or a * b modulo 2^64.
[[nodiscard]] std::int64_t wrappingArithmetic(std::int64_t a, std::int64_t b, char op);
/// Integer result of one element of a node with two operands.
[[nodiscard]] std::optional<std::int64_t> integerResult(std::string_view type, std::int64_t a,
                                                        std::int64_t b);
[[nodiscard]] OptionalConstant foldBinary(const std::string& type, const Constant& a, const Constant& b);
[[nodiscard]] OptionalConstant foldUnary(const std::string& type, const Constant& x);
/// Converts elements to another type; real numbers are truncated towards 0.
[[nodiscard]] OptionalConstant foldCast(const Constant& x, std::int64_t to);

} // namespace tilewright::onnx
