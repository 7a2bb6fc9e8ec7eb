// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/values.h"

namespace tilewright::onnx {

/// Constant folding: computes the results of a node whose operands, or whose operands' shapes, are known.
/// Returns true if all results are known afterwards.
bool fold(const Node& node, Values& values);
/// Like fold(), for integers that follow a linear rule. They may have any number of elements.
bool foldLinear(const Node& node, Values& values);
/// Number of elements of a Range; empty if it is undefined or larger than kMaxDimension.
[[nodiscard]] std::optional<std::int64_t> rangeLength(const Constant* start, const Constant* limit,
                                                      const Constant* step);
/// Sets the shape of the result of Range, ConstantOfShape or an elementwise node, if it is not known yet and
/// follows from the operands.
void inferByRule(const Node& node, Values& values);

/// The range that Slice selects on one axis.
struct SliceRange
{
    std::size_t axis = 0;
    std::int64_t start = 0, step = 1, size = 0;
};
/// Ranges of Slice for an operand of this shape, from the node's operands or attributes, normalised as in
/// ONNX. Empty if they are not known.
[[nodiscard]] std::optional<std::vector<SliceRange>> sliceRanges(const Node& node, const Values& values,
                                                                 const model::Shape& shape);
/// Axes from an attribute or from operand `i`, as indices from the front. Empty if they are unknown or
/// invalid.
[[nodiscard]] std::optional<std::vector<std::size_t>> axesOf(const Node& node, const Values& values,
                                                             std::size_t i, std::size_t rank);
/// Result shape of a Reshape. Empty if it is unknown or does not match the operand.
[[nodiscard]] std::optional<model::Shape> reshapedShape(const Node& node, const Values& values);
[[nodiscard]] std::optional<model::Shape> squeezedShape(const Node& node, const Values& values);
[[nodiscard]] std::optional<model::Shape> unsqueezedShape(const Node& node, const Values& values);

} // namespace tilewright::onnx
