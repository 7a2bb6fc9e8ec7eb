// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on elements that are known before the model runs. Each function gives nothing where it is not
// defined or where there would be more than kMaxConstantElements.
#pragma once

#include "model/broadcast.h"
#include "onnx/values.h"

#include <string_view>

namespace tilewright::onnx {

using Folded = std::optional<Constant>;
using model::broadcastShape;

/// Few enough elements, and few in each direction.
[[nodiscard]] bool isSmall(const model::Shape& shape);
[[nodiscard]] std::vector<std::int64_t> stridesOf(const model::Shape& shape);
/// Strides with which a constant is read as of a larger shape; 0 repeats.
[[nodiscard]] std::vector<std::int64_t> broadcastStrides(const model::Shape& from, const model::Shape& to);
/// The elements at offset + index * strides, for every index of `shape`.
[[nodiscard]] Folded picked(const Constant& from, model::Shape shape, std::int64_t offset,
                            const std::vector<std::int64_t>& strides);

/// a + b, a - b, a * b modulo 2^64.
[[nodiscard]] std::int64_t wrapped(std::int64_t a, std::int64_t b, char op);
/// One element of a node of two operands.
[[nodiscard]] std::optional<std::int64_t> ofWhole(std::string_view type, std::int64_t a, std::int64_t b);
[[nodiscard]] Folded foldedBinary(const std::string& type, const Constant& a, const Constant& b);
[[nodiscard]] Folded foldedUnary(const std::string& type, const Constant& x);
/// Real numbers become whole ones towards 0.
[[nodiscard]] Folded foldedCast(const Constant& x, std::int64_t to);

} // namespace tilewright::onnx
