// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/values.h"

namespace tilewright::onnx {

/// Computes a node whose operands are known, or the shape of an operand: the arithmetic of sizes. True when
/// all of its results are known then.
bool fold(const Node& node, Values& values);

/// What Slice takes of one axis.
struct SliceRange
{
    std::size_t axis = 0;
    std::int64_t start = 0, step = 1, size = 0;
};
/// Slice's operands or attributes taken to a shape as ONNX does; nothing when they are not known.
[[nodiscard]] std::optional<std::vector<SliceRange>> sliceRanges(const Node& node, const Values& values,
                                                                 const model::Shape& shape);
/// The axes of an attribute or of operand `i`, from the front; nothing when they are not known or wrong.
[[nodiscard]] std::optional<std::vector<std::size_t>> axesOf(const Node& node, const Values& values,
                                                             std::size_t i, std::size_t rank);
/// The shape that Reshape's operand says; nothing when it is not known or does not fit.
[[nodiscard]] std::optional<model::Shape> reshapedShape(const Node& node, const Values& values);
[[nodiscard]] std::optional<model::Shape> squeezedShape(const Node& node, const Values& values);
[[nodiscard]] std::optional<model::Shape> unsqueezedShape(const Node& node, const Values& values);

} // namespace tilewright::onnx
